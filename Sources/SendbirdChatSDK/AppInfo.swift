// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost

/// The application's settings at the server.
public final class AppInfo: NSObject {
    /// The greatest size of an uploaded file in bytes.
    public let uploadSizeLimit: Int64
    /// Whether messages may have reactions.
    public let useReaction: Bool
    /// The version of the application's emoji list.
    public let emojiHash: String
    /// The application's attributes.
    public let applicationAttributes: [String]?
    /// The application's paid features.
    public let premiumFeatureList: [String]?

    init(_ login: LoginFacts) {
        uploadSizeLimit = login.uploadLimit
        useReaction = login.usesReactions
        emojiHash = login.emojiHash
        applicationAttributes = login.attributes
        premiumFeatureList = login.premiumFeatures
    }

    /// Returns whether the emoji list has changed since the version that the app knows.
    public func isEmojiUpdateNeeded(prevEmojiHash: String) -> Bool { prevEmojiHash != emojiHash }
}

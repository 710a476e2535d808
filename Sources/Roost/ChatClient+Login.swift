// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostWire

/// The application's settings that the server sends with each login.
package struct LoginFacts: Hashable, Sendable {
    /// The greatest size of an uploaded file in bytes.
    package let uploadLimit: Int64
    /// The greatest number of files of one message.
    package let fileLimit: Int
    package let usesReactions: Bool
    /// The version of the application's emoji list.
    package let emojiHash: String
    package let attributes: [String]
    package let premiumFeatures: [String]
}

extension ChatClient {
    /// The application's settings as of the last login; nil before the first one.
    package var loginFacts: LoginFacts? {
        get async {
            await engine.read { state in
                guard let login = state.session?.login else { return nil }
                return LoginFacts(
                    uploadLimit: Int64(login.fileUploadLimitMB) * 1_048_576,
                    fileLimit: login.multipleFileLimit, usesReactions: login.usesReaction,
                    emojiHash: login.emojiHash, attributes: login.applicationAttributes,
                    premiumFeatures: login.premiumFeatures)
            }
        }
    }
}

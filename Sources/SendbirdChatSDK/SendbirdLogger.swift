// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The level of the log under another name.
public final class SendbirdLogger: NSObject {
    /// The part of the library whose log is meant.
    public enum Part: Int, Sendable {
        /// The chat, which is all of this library.
        case chat
    }

    override init() {}

    /// Sets the level of the log, as `SendbirdChat.setLogLevel(_:)` does.
    public class func setLevel(_ level: LogLevel) { SendbirdChat.setLogLevel(level) }

    /// Sets the level of the log, as `SendbirdChat.setLogLevel(_:)` does.
    public class func setLevel(_ level: LogLevel, for part: Part) { setLevel(level) }
}

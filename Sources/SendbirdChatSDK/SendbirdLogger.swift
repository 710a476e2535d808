// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The level of the log, which the library does not write.
public final class SendbirdLogger: NSObject {
    /// The part of the library whose log is meant.
    public enum Part: Int, Sendable {
        /// The chat, which is all of this library.
        case chat
    }

    override init() {}

    /// Sets the level that `SendbirdChat.getLogLevel()` returns; the library writes no log.
    public class func setLevel(_ level: LogLevel) { SendbirdChat.setLogLevel(level) }

    /// Sets the level that `SendbirdChat.getLogLevel()` returns; the library writes no log.
    public class func setLevel(_ level: LogLevel, for part: Part) { setLevel(level) }
}

// SPDX-License-Identifier: Apache-2.0

/// The parts of delivered messages that an app shows only if it asks for them.
///
/// The client has all parts of each message. The old libraries gave an app the parts of its
/// parameters only, so objects hide the others.
package struct MessageParts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let metaArrays = MessageParts(rawValue: 1 << 0)
    package static let reactions = MessageParts(rawValue: 1 << 1)
    package static let threadInfo = MessageParts(rawValue: 1 << 2)
    package static let parent = MessageParts(rawValue: 1 << 3)
    package static let poll = MessageParts(rawValue: 1 << 4)
    package static let all: MessageParts = [.metaArrays, .reactions, .threadInfo, .parent, .poll]

    /// Whether a part is asked for.
    package subscript(part: MessageParts) -> Bool {
        get { contains(part) }
        set { if newValue { insert(part) } else { remove(part) } }
    }
}

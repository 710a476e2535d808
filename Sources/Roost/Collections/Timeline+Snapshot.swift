// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension Timeline {
    /// The state of a timeline at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// Delivered messages by place, oldest first, then the unsent by age.
        public let messages: [Message]
        /// Whether `loadOlder` may find more.
        public let hasOlder: Bool
        /// Whether `loadNewer` may find more; false while the list follows the newest end.
        public let hasNewer: Bool
        /// More than 300 messages are missing after the last one shown (R113).
        ///
        /// The list stopped following. Page forward with `loadNewer`, or open the timeline again.
        public let hasHugeGap: Bool
    }
}

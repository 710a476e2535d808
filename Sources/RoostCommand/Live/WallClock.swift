// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostPages

/// The device's clock and calendar, for people.
enum WallClock {
    static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    /// Returns a moment as `2026-03-01 10:22:03` in UTC.
    static func date(_ moment: Timestamp) -> String { UTCDate.text(moment) }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The time outside of the state.
enum ChatClock {
    /// The shortest time between two snapshots of one list; more would never be seen.
    static let frame = Duration.milliseconds(33)

    static var now: Timestamp { Timestamp(Date()) }

    /// Waits, so that snapshots come no faster than frames; returns early at a cancellation.
    static func pause(_ duration: Duration) async { try? await Task.sleep(for: duration) }
}

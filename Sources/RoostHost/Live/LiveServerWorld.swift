// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostServer

extension ServerWorld {
    /// The system's clock and its secure source of chance.
    static func live() -> ServerWorld {
        ServerWorld(
            now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            entropy: { UInt64.random(in: .min ... .max) })
    }
}

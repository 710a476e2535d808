// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostServer
import RoostSockets

extension ServerWorld {
    /// Returns the world with the system's clock and its secure random numbers.
    static func live(_ log: LogWriter) -> ServerWorld {
        ServerWorld(
            now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            entropy: { UInt64.random(in: .min ... .max) },
            // A secret has 160 random bits, so a fast hash of it and its salt is enough.
            digest: { Digest.sha256($0) }, log: { log.write($0) })
    }
}

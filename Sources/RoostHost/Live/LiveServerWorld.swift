// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostServer
import RoostSockets

extension ServerWorld {
    /// The system's clock and its secure source of chance.
    static func live(_ log: LogWriter) -> ServerWorld {
        ServerWorld(
            now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            entropy: { UInt64.random(in: .min ... .max) },
            // A token has 160 random bits, so a plain hash of it tells nothing.
            digest: { Digest.sha256($0) }, log: { log.write($0) })
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostPages
import RoostServer

extension ServerPages {
    /// Makes the pages with the system's random numbers and the sizes of the server's files.
    static func live(
        _ chat: ChatServer, _ configuration: ChatHost.Configuration,
        disk: @escaping @Sendable () async -> ServerPage.Disk
    ) -> ServerPages {
        ServerPages(
            chat, configuration,
            makeSecret: { ServerWorld.hex(digits: 64) { UInt64.random(in: .min ... .max) } },
            disk: disk)
    }
}

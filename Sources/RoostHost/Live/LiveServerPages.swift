// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostServer

extension ServerPages {
    /// Makes the pages with the system's random numbers and the size of the server's files.
    static func live(_ chat: ChatServer, _ configuration: ChatHost.Configuration) -> ServerPages {
        let database =
            configuration.cluster == nil
            ? configuration.dataFolder + "/" + ChatHost.databaseName : nil
        return ServerPages(
            chat, configuration,
            makeSecret: {
                ServerWorld.hex(digits: 64) { UInt64.random(in: .min ... .max) }
            },
            diskBytes: {
                database.map { database in
                    [database, database + "-wal"].reduce(0) { sum, path in
                        // By attributes, because the older call returns its result through a pointer.
                        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size]
                        return sum + ((size as? NSNumber)?.int64Value ?? 0)
                    }
                }
            })
    }
}

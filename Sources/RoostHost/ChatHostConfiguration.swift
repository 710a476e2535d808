// SPDX-License-Identifier: Apache-2.0

package import RoostServer
import RoostSockets

extension ChatHost {
    package struct Configuration: Sendable {
        /// Files in PEM form; both are read once, at the start.
        package struct Certificate: Hashable, Sendable {
            /// The server's own certificate first, then those that vouch for it.
            package var chainFile: String
            /// Without a passphrase.
            package var keyFile: String

            package init(chainFile: String, keyFile: String) {
                self.chainFile = chainFile
                self.keyFile = keyFile
            }
        }

        /// Loopback unless told otherwise: whoever opens a server to others does so on purpose.
        package var host = "127.0.0.1"
        /// 0 takes a free port.
        package var port: UInt16 = 0
        /// Where `server.sqlite` lives; made when missing.
        package var dataFolder: String
        package var applicationID: String
        /// Opens the platform calls; nil closes them.
        package var apiToken: String?
        /// Refuses users without an access token.
        package var requiresToken = false
        /// The web pages that may call from a browser; see `OriginPolicy`.
        package var allowedOrigins: [String] = []
        /// nil speaks in the clear, as behind a proxy or on loopback.
        package var certificate: Certificate?
        /// How clients reach the server, such as `https://chat.example`, when that is not how it listens.
        package var publicAddress: String?
        /// Believes the header of a proxy that says where a call came from.
        ///
        /// Without a proxy that sets it, everybody could say anything there.
        package var isBehindProxy = false
        /// Makes frames smaller for clients that ask for it (permessage-deflate).
        ///
        /// They cost several times the processor time of plain ones.
        package var compressesFrames = false
        /// From which kind of entry on the log is written to standard error; nil writes none.
        package var logLevel: LogLine.Level?

        package var limits = ServerLimits()
        package var userRate: Rate?
        package var addressRate: Rate?
        package var fileLimitMB = 1_024
        /// Open connections, of all and of one address.
        package var connectionLimit = 10_000
        package var connectionsPerAddress = Int.max
        /// Bytes of one frame of a client.
        package var frameBytes = 1_048_576
        /// Bytes that wait for a slow reader before it is closed.
        package var queueBytes = 4_194_304

        package init(dataFolder: String, applicationID: String) {
            self.dataFolder = dataFolder
            self.applicationID = applicationID
        }
    }
}

extension ChatHost.Configuration {
    /// What the core is told of it.
    var core: ChatServer.Configuration {
        var core = ChatServer.Configuration(applicationID: applicationID, apiToken: apiToken)
        core.requiresToken = requiresToken
        core.publicAddress = publicAddress
        core.isEncrypted = certificate != nil
        core.limits = limits
        core.userRate = userRate
        core.addressRate = addressRate
        core.fileLimitMB = fileLimitMB
        return core
    }

    /// What the sockets are told of it.
    ///
    /// - Throws: When the certificate or its key cannot be used.
    func listening() throws(SocketError) -> HTTPServer.Configuration {
        var listening = HTTPServer.Configuration()
        listening.host = host
        listening.port = port
        if let certificate {
            listening.tls = try TLSContext.server(
                certificateChainFile: certificate.chainFile, privateKeyFile: certificate.keyFile)
        }
        listening.limits.bodyBytes = limits.bodyBytes
        listening.webSocketLimits.messageBytes = frameBytes
        listening.webSocketLimits.incomingBytes = frameBytes
        listening.webSocketLimits.outgoingBytes = queueBytes
        listening.deflatesMessages = compressesFrames
        listening.connectionLimit = connectionLimit
        listening.connectionsPerPeer = connectionsPerAddress
        return listening
    }
}

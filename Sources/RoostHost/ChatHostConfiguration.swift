// SPDX-License-Identifier: Apache-2.0

package import RoostServer
import RoostSockets

extension ChatHost {
    package struct Configuration: Sendable {
        /// The files of a certificate in PEM form; both are read once, at the start.
        package struct Certificate: Equatable, Sendable {
            /// The file of the server's certificate, followed by the intermediate ones.
            package var chainFile: String
            /// The file of the private key, without a passphrase.
            package var keyFile: String

            package init(chainFile: String, keyFile: String) {
                self.chainFile = chainFile
                self.keyFile = keyFile
            }
        }

        /// The address to listen on; loopback unless set, so a server is opened to others on
        /// purpose only.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for a free one.
        package var port: UInt16 = 0
        /// The folder of `server.sqlite` and of the uploads; created if missing.
        package var dataFolder: String
        /// The database that several servers share; nil for the one in the folder.
        package var cluster: Cluster?
        package var applicationID: String
        /// The token of the platform's calls; nil refuses all of them.
        package var apiToken: String?
        /// Whether a login needs an access token.
        package var requiresToken = false
        /// The web pages that may call from a browser; see `OriginPolicy`.
        package var allowedOrigins: [String] = []
        /// The certificate for TLS; nil without TLS, as behind a proxy or on loopback.
        package var certificate: Certificate?
        /// The URL by which clients reach the server, such as `https://chat.example`, if it differs
        /// from the address.
        package var publicAddress: String?
        /// Whether the server believes a proxy's header with the address of the client.
        ///
        /// Without a proxy that sets it, clients could write any address there.
        package var isBehindProxy = false
        /// Whether the server compresses frames for clients that ask for it (permessage-deflate).
        ///
        /// Compressed frames cost several times the processor time of plain ones.
        package var compressesFrames = false
        /// The lowest level of the log on standard error; nil writes none.
        package var logLevel: LogLine.Level?

        /// Whether the server has pages for its operator's browser, at `/`.
        package var hasPages = false
        /// The faults that the server makes on purpose; nil makes none.
        package var chaos: ChaosPlan?
        /// The time over which a stop closes the sockets, so that clients of a server that others
        /// replace do not all return at once.
        package var drainTime: Duration = .zero
        package var limits = ServerLimits()
        package var userRate: Rate?
        package var addressRate: Rate?
        package var fileLimitMB = 1_024
        /// The open connections in all; another limit bounds those of one address.
        package var connectionLimit = 10_000
        /// The open connections of one address, or behind a proxy the sockets of one address that
        /// the proxy names.
        package var connectionsPerAddress = Int.max
        /// The bytes of one frame of a client.
        package var frameBytes = 1_048_576
        /// The bytes in the queue of a slow reader before its socket is closed.
        package var queueBytes = 4_194_304

        package init(dataFolder: String, applicationID: String) {
            self.dataFolder = dataFolder
            self.applicationID = applicationID
        }
    }
}

extension ChatHost.Configuration {
    /// The configuration of the server without sockets.
    var core: ChatServer.Configuration {
        var core = ChatServer.Configuration(applicationID: applicationID, apiToken: apiToken)
        core.requiresToken = requiresToken
        core.publicAddress = publicAddress
        core.isEncrypted = certificate != nil
        core.limits = limits
        core.collectsReceipts = true
        if isBehindProxy { core.limits.sessionsPerAddress = connectionsPerAddress }
        core.userRate = userRate
        core.addressRate = addressRate
        core.fileLimitMB = fileLimitMB
        return core
    }

    /// Returns the configuration of the sockets.
    ///
    /// - Throws: An error if the certificate or its key cannot be used.
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
        // The proxy's own address has the connections of all clients.
        listening.connectionsPerPeer = isBehindProxy ? .max : connectionsPerAddress
        return listening
    }
}

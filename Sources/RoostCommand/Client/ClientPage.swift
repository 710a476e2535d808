// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostExecutors
import RoostModel
import RoostPages
import RoostSockets

/// The live page of a client, for the browser of the same machine.
actor ClientPage: HTTPServerHandler {
    private static let viewPath: StaticString = "/page/view"

    private let client: ChatClient
    private let gate: PageGate
    private let showsText: Bool
    private var journal = JournalFeed(names: SecretNames())

    /// Makes the page; without `showsText` it has no text of an unsent message and no name of a
    /// channel.
    init(_ client: ChatClient, gate: PageGate, showsText: Bool) {
        self.client = client
        self.gate = gate
        self.showsText = showsText
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        switch gate.decide(on: request) {
        case .refuse(let answer): return answer
        case .admit: break
        }
        if let asset = HTTPServerResponse.asset(at: request.path) { return asset }
        let isView = request.path == Self.viewPath.description
        guard isView || request.path == "/" else {
            return .refusedPage(404, "There is no such page.")
        }
        let page: CachePage
        do throws(RoostError) {
            let chart = journal.chart(of: client.recording)
            page = CachePage(
                try await client.view(), of: client, showsText: showsText, journal: chart,
                now: WallClock.now)
        } catch {
            return .refusedPage(503, "The cache cannot be read now.")
        }
        if isView { return .parts(page.parts(), for: request) }
        return .page(
            PageDocument(
                title: "Roost client \(page.user)", body: page.parts(),
                view: OwnPath(Self.viewPath)))
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        .refuse(.refusedPage(404, "There is no socket here."))
    }
}

/// A running server of a live page.
struct ClientPageServer {
    private let loop: EventLoop
    private let http: HTTPServer
    /// The address with the token that works once.
    let link: String

    /// Listens on this machine only.
    ///
    /// - Throws: `.server` if the port is taken.
    static func start(
        _ client: ChatClient, port: UInt16, showsText: Bool
    ) async throws(CommandFailure) -> ClientPageServer {
        do throws(SocketError) {
            let loop = try EventLoop.start()
            do throws(SocketError) {
                var configuration = HTTPServer.Configuration()
                configuration.port = port
                configuration.connectionLimit = 64
                configuration.limits.bodyBytes = 0
                let gate = PageGate(second: EventLoop.systemSeconds, makeKey: PageSecret.make)
                let http = try await HTTPServer.start(
                    configuration,
                    handler: ClientPage(client, gate: gate, showsText: showsText), on: loop)
                let token = gate.open(port: http.port)
                return ClientPageServer(
                    loop: loop, http: http,
                    link: "http://127.0.0.1:\(http.port)/?link=\(token)")
            } catch {
                await loop.shutdown()
                throw error
            }
        } catch {
            throw CommandFailure(.server, error.message)
        }
    }

    func stop() async {
        await http.shutdown(grace: .zero)
        await loop.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostNATS

/// Connections to a bus that asks for TLS.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct NATSTLSTests {
    private func failure(_ settings: NATSSettings) async -> NATSError? {
        do throws(NATSError) {
            let connection = try await NATSConnection.open(settings, on: BusLoop.shared) { _ in }
            await connection.close()
            return nil
        } catch {
            return error
        }
    }

    @Test func `messages travel over a verified connection`() async throws {
        let files = try TemporaryCertificates()
        let server = try await NATSServer([
            "--tls", "--tlscert", files.certificate, "--tlskey", files.key, "--user", "roost",
            "--pass", "right",
        ])
        let place = "127.0.0.1:\(server.port)"
        var settings = NATSSettings(["tls://roost:right@\(place)"], subject: "test")
        settings.tls = try .client(extraAuthoritiesFile: files.authority)
        let events = Arrivals<NATSEvent>()
        let receiver = try await NATSConnection.open(settings, on: BusLoop.shared) {
            for event in $0 { events.add(event) }
        }
        let sender = try await NATSConnection.open(settings, on: BusLoop.shared) { _ in }
        let large = [UInt8](repeating: 5, count: 500_000)
        sender.publish([[1], large], to: "test")
        await events.wait(for: 2)
        #expect(events.all == [.message([1]), .message(large)])
        await sender.close()
        await receiver.close()

        settings.addresses = ["tls://roost:wrong@\(place)"]
        #expect(await failure(settings)?.kind == .refused)
        settings.tls = nil
        let stranger = try #require(await failure(settings))
        #expect(stranger.kind == .tlsFailure)
        #expect(stranger.message.contains("not trusted"))
        settings.addresses = ["nats://roost:right@\(place)"]
        #expect(await failure(settings)?.kind == .tlsFailure)
    }

    @Test func `a server without TLS gets no password over tls`() async throws {
        let server = try await NATSServer()
        let settings = NATSSettings(["tls://a:b@127.0.0.1:\(server.port)"], subject: "test")
        #expect(await failure(settings)?.kind == .tlsFailure)
    }
}

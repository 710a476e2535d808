// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostNATS
import RoostServer
import RoostTestSupport
import Testing

/// The promises of the seam, for every fan-out.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct FanOutContractTests {
    enum Kind: CaseIterable {
        case inProcess
        /// Two hosts with one server each, on one bus.
        case nats
    }

    /// Two servers, each with the fan-out to which it publishes and the notices that it got.
    private struct Servers {
        let fanOuts: [any FanOut]
        let notices: [Arrivals<Notice>]
        /// Kept until the end of the test.
        let bus: NATSServer?
        let hosts: [BusHost]

        init(_ kind: Kind) async throws {
            switch kind {
            case .inProcess:
                let fanOut = InProcessFanOut(on: ThreadExecutor(name: "test.fan-out"))
                let notices = [Arrivals<Notice>(), Arrivals<Notice>()]
                for arrivals in notices { await fanOut.subscribe { arrivals.add($0) } }
                (fanOuts, self.notices) = ([fanOut, fanOut], notices)
                (bus, hosts) = (nil, [])
            case .nats:
                let bus = try await NATSServer()
                let hosts = [try await BusHost([bus.address]), try await BusHost([bus.address])]
                (fanOuts, notices) = (hosts.map(\.fanOut), hosts.map(\.notices))
                (self.bus, self.hosts) = (bus, hosts)
            }
        }

        /// Publishes a last notice to each server and waits until both have both.
        ///
        /// Earlier notices of the same publisher have arrived then.
        func settle() async {
            for fanOut in fanOuts { await fanOut.publish(Self.last) }
            for arrivals in notices {
                await arrivals.wait { all in all.count { $0 == Self.last } == 2 }
            }
        }

        private static let last = Notice(frame: "last", recipients: [])

        /// The notices of a server before the last ones.
        func received(by server: Int) -> [Notice] { notices[server].all.filter { $0 != Self.last } }

        func close() async { for host in hosts { await host.fanOut.close() } }
    }

    @Test(arguments: Kind.allCases)
    func `every server gets every notice once, the publisher's own included`(
        kind: Kind
    ) async throws {
        let servers = try await Servers(kind)
        let notices = (0..<4).map { Notice.numbered($0) }
        for (index, notice) in notices.enumerated() {
            await servers.fanOuts[index % 2].publish(notice)
        }
        await servers.settle()
        for server in 0...1 {
            let frames = servers.received(by: server).map(\.frame).sorted()
            #expect(frames == notices.map(\.frame))
        }
        await servers.close()
    }

    @Test(arguments: Kind.allCases)
    func `notices of one publisher arrive in order`(kind: Kind) async throws {
        let servers = try await Servers(kind)
        // Other recipients and rooms must not change the order.
        let notices = (0..<5_000).map { number in
            Notice(
                frame: "MESG\(number)", recipients: [UserID("user\(number % 97)")],
                room: number % 3 == 0 ? ChannelURL("room\(number % 11)") : nil)
        }
        for notice in notices { await servers.fanOuts[0].publish(notice) }
        await servers.settle()
        for server in 0...1 { #expect(servers.received(by: server) == notices) }
        await servers.close()
    }

    @Test(arguments: Kind.allCases)
    func `notices of each of many publishers arrive in order`(kind: Kind) async throws {
        let servers = try await Servers(kind)
        await withTaskGroup(of: Void.self) { group in
            for publisher in 0..<20 {
                let fanOut = servers.fanOuts[publisher % 2]
                group.addTask {
                    for number in 0..<100 {
                        await fanOut.publish(.numbered(number, from: publisher))
                    }
                }
            }
        }
        await servers.settle()
        for server in 0...1 {
            let received = servers.received(by: server)
            #expect(received.count == 2_000)
            for publisher in 0..<20 {
                let own = received.filter { $0.frame.hasPrefix("MESG{\(publisher):") }
                #expect(own == (0..<100).map { .numbered($0, from: publisher) })
            }
        }
        await servers.close()
    }

    @Test(arguments: Kind.allCases)
    func `a notice may have 20,000 recipients and the largest frame`(kind: Kind) async throws {
        let servers = try await Servers(kind)
        let notice = Notice(
            frame: String(repeating: "é", count: 524_288),
            recipients: (0..<20_000).map { number in
                UserID("user-\(number)-" + String(repeating: "x", count: 60))
            })
        await servers.fanOuts[0].publish(notice)
        await servers.fanOuts[0].publish(.numbered(1))
        await servers.settle()
        for server in 0...1 { #expect(servers.received(by: server) == [notice, .numbered(1)]) }
        await servers.close()
    }

    @Test(arguments: Kind.allCases)
    func `any text may be in a notice`(kind: Kind) async throws {
        let servers = try await Servers(kind)
        let odd = [
            "", "\0", "a\0b", "🐦", "e\u{301}", "é", "\u{10FFFF}", "\r\n", "PUB x 1\r\n", "*.>",
        ]
        let notices = odd.map { text in
            Notice(
                frame: text, recipients: odd.map { UserID($0) }, room: ChannelURL(text),
                except: SessionID(server: .max, number: 7))
        }
        for notice in notices { await servers.fanOuts[1].publish(notice) }
        await servers.settle()
        for server in 0...1 { #expect(servers.received(by: server) == notices) }
        await servers.close()
    }
}

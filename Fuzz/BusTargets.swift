// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostNATS
import RoostServer

/// The decoders of bytes from the bus and the files' bucket: their protocols, and the messages of other
/// servers.
enum BusTargets {
    static let all = [nats, messages, orders, documents]

    private static let nats = FuzzTarget(
        "nats",
        samples: [
            "INFO {\"proto\":1,\"max_payload\":1048576,\"connect_urls\":[\"a:1\"]}\r\nPONG\r\n",
            "MSG roost.A.1 1 5\r\nhello\r\nMSG a 1 reply 0\r\n\r\nPING\r\n",
            "-ERR 'Permissions Violation for Subscription to \"a\"'\r\n+OK\r\n",
        ],
        words: FuzzWords.bytes([
            "\r\n", "\n", "\r", " ", "\t", "\0", "MSG a 1 67108864\r\n", "MSG a 1 -1\r\n",
            "MSG a 1 99999999999999999999\r\n", "INFO {}\r\n", "-ERR", "9223372036854775807",
        ])
    ) { input in
        let one = frames(input.bytes.map { [$0] })
        return frames(input.pieces()) == one ? nil : "A frame depends on how it is cut."
    }

    private static func frames(_ pieces: [[UInt8]]) -> [NATSFrame?] {
        var (parser, frames) = (NATSParser(), [NATSFrame?]())
        for piece in pieces {
            parser.append(piece)
            do throws(NATSViolation) {
                while let frame = try parser.next() { frames.append(frame) }
            } catch {
                return frames + [nil]
            }
        }
        return frames
    }

    private static let messages = FuzzTarget(
        "bus-messages",
        samples: [
            BusContent.notice(Notice(frame: "MESG{\"a\":1}", recipients: ["a", "b"])),
            .notice(
                placed(
                    LogPlace(
                        channel: "g", sequence: 9, first: 8, change: 120, previousChange: 90))),
            .notice(
                placed(
                    LogPlace(
                        channel: "g", sequence: 10, first: 10, change: 121, previousChange: 120,
                        era: "0badcafe"))),
            .heartbeat(name: "chat1"), .signal(Signal(name: "order", bytes: [1, 2, 3])),
        ].flatMap { content in
            var number: UInt64 = 41
            return [1_000, 120].flatMap {
                BusPart.messages(of: content, from: HostID(rawValue: 7), after: &number, limit: $0)
            }
        },
        words: FuzzWords.bytes(["\0", "\u{7f}", "MESG", "a"])
    ) { input in
        guard let part = BusPart(input.bytes) else { return nil }
        guard let again = BusPart(part.encoded), again.encoded == part.encoded else {
            return "A part differs after another encoding."
        }
        guard let content = BusContent(kind: part.kind, part.bytes) else { return nil }
        guard BusContent(kind: part.kind, content.encoded[...])?.encoded == content.encoded else {
            return "A message differs after another encoding."
        }
        guard case .notice(let notice) = content, let place = notice.place else { return nil }
        return delivers(notice, place)
    }

    private static func placed(_ place: LogPlace) -> Notice {
        var notice = Notice(frame: "MESG{\"a\":1}", recipients: ["a"])
        notice.place = place
        return notice
    }

    /// Takes a notice between two true ones; an answer of the database must end all questions.
    private static func delivers(_ notice: Notice, _ place: LogPlace) -> String? {
        var order = DeliveryOrder(swept: 100)
        let start = ContinuousClock.now
        let near = { (sequence: Int64) in
            LogPlace(
                channel: place.channel, sequence: sequence, first: sequence, change: 110,
                previousChange: 90)
        }
        _ = order.take(notice, near(5), at: start)
        _ = order.take(notice, place, at: start)
        _ = order.take(notice, near(6), at: start)
        order.goBack(to: 95)
        order.sweep([], settled: 130, isUrgent: true, at: start)
        for round in 1...4 {
            let moment = start + DeliveryOrder.patience * round
            for _ in order.readings(at: moment) {
                _ = order.take([], of: place.channel, through: 6, isWhole: true, at: moment)
            }
        }
        return order.readings(at: start + .seconds(60)).isEmpty
            ? nil : "The database is asked for ever."
    }

    private static let orders = FuzzTarget(
        "peer-orders",
        samples: [
            PeerOrder.end(keys: [1, 2], of: "a", frame: "EXPR{}").encoded,
            PeerOrder.expel("a", frame: "EXPR{}").encoded,
            PeerOrder.evict("a", from: "room").encoded, PeerOrder.close("room").encoded,
        ]
    ) { input in
        guard let order = PeerOrder(encoded: input.bytes) else { return nil }
        return PeerOrder(encoded: order.encoded)?.encoded == order.encoded
            ? nil : "An order differs after another encoding."
    }

    private static let documents = FuzzTarget(
        "bucket-answers",
        samples: [
            "<?xml version=\"1.0\"?>\n<Error><Code>SlowDown</Code><Region>eu-west-1</Region></Error>",
            "<A x='1'><UploadId>a&amp;b&#34;&#x41;</UploadId><B><C/></B><!-- c --><D/></A>",
        ],
        words: FuzzWords.bytes([
            "<", ">", "/>", "</", "<!--", "-->", "<!DOCTYPE", "<?", "?>", "&", ";", "&#x110000;",
            "'",
        ])
    ) { input in
        guard let document = S3Document(input.bytes) else { return nil }
        guard S3Document(input.bytes + Array("<!-- end -->".utf8)) == document else {
            return "A remark at the end changes a document."
        }
        let longest = document.fields.values.map(\.utf8.count).max() ?? 0
        // A byte that is no UTF-8 becomes three.
        return longest <= 3 * 2_048 && document.fields.count <= 64
            ? nil : "A document exceeds its bounds."
    }
}

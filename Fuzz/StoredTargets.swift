// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostFileCache
import RoostHistory
import RoostModel
import RoostSealing
import RoostStore
import RoostWire
import Synchronization

/// The decoders of files, which a broken disk or another program may have changed.
enum StoredTargets {
    static let all = [
        messages, channels, users, params, filters, sealed, headers, journals, files, histories,
    ]

    private static let words: [[UInt8]] = [
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x80, 0x01], [0], [0xFF],
        [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], Array(repeating: 1, count: 40),
    ]

    private static func payload(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        write(&bytes)
        return bytes
    }

    private static let someone = User(id: "ann", nickname: "Ann")

    private static let messages = FuzzTarget(
        "stored-messages",
        samples: FuzzSamples.messageValues.flatMap { message in
            [
                payload { MessagePayload.write(message, to: &$0) { _ in 1 } },
                payload { bytes in
                    let rows = MessageRows(sender: 1, customType: 2)
                    MessagePayload.write(message, rows, to: &bytes) { _ in 1 }
                },
            ]
        }, words: words
    ) { input in
        for moment in [1_700_000_000_000, Int64.max, .min] {
            let place = Timestamp(milliseconds: moment)
            guard
                let message = try? MessagePayload.read(
                    input.bytes.span, id: MessageID(moment), channelURL: "g", createdAt: place,
                    user: { _ in someone }, word: { _ in "type" })
            else { continue }
            _ = payload { MessagePayload.write(message, to: &$0) { _ in 1 } }
            _ = SerializedObject.message(message).bytes
        }
        return nil
    }

    private static let channels = FuzzTarget(
        "stored-channels",
        samples: [FuzzSamples.channelValue].compactMap(\.self).map { channel in
            payload { ChannelPayload.write(channel, to: &$0) { _ in 1 } }
        }, words: words
    ) { input in
        var channel = GroupChannel(url: "g")
        let isRead: Void? = try? ChannelPayload.read(input.bytes.span, into: &channel) { _ in
            someone
        }
        guard isRead != nil else { return nil }
        _ = payload { ChannelPayload.write(channel, to: &$0) { _ in 1 } }
        _ = SerializedObject.channel(channel).bytes
        return nil
    }

    private static let users = FuzzTarget(
        "stored-users",
        samples: [FuzzSamples.userValue].compactMap(\.self).map { user in
            payload { UserPayload.write(user, to: &$0) }
        }, words: words
    ) { input in
        guard let user = try? UserPayload.read(input.bytes.span, id: "ann") else { return nil }
        _ = SerializedObject.user(user).bytes
        return nil
    }

    private static let params = FuzzTarget(
        "stored-params",
        samples: [
            OutboxContent.userMessage(
                UserMessageParams(
                    text: "Hi", data: "d", customType: "c",
                    mention: Mention(kind: .users, userIDs: ["bob"]),
                    metaArrays: [MetaArray(key: "k", values: ["v"])], parentID: 3)),
            .change(.markAsRead(through: Timestamp(milliseconds: 1_700_000_000_000))),
            .change(.channel(.update(ChannelUpdateParams(name: "n", data: "d")))),
            .change(.channel(.mute("bob", for: .seconds(60), reason: "r"))),
            .draft(DraftContent("Hi", replyingTo: 3, in: 4)),
            .inbox(
                InboxMark("i", Position(createdAt: Timestamp(milliseconds: 5), messageID: 6))),
            .draft(DraftContent("@ada", mentioning: Mention(userIDs: ["ada"]))),
        ].map { content in payload { ParamsPayload.write(content, to: &$0) } }, words: words
    ) { input in
        guard let content = try? ParamsPayload.read(input.bytes.span) else { return nil }
        let again = payload { ParamsPayload.write(content, to: &$0) }
        return (try? ParamsPayload.read(again.span)) == content
            ? nil : "What waits is read otherwise when it is written again."
    }

    private static let filters = FuzzTarget(
        "stored-filters",
        samples: [
            payload {
                FilterPayload.write(
                    MessageFilter(
                        kind: .file, customTypes: ["a"], senderIDs: ["x"], replyType: .all,
                        parentID: 4), to: &$0)
            }
        ], words: words
    ) { input in
        _ = try? FilterPayload.read(input.bytes.span)
        return nil
    }

    // MARK: Keys

    private static let sealer = Sealer(key: SecretBytes.random(count: 32), number: 7)

    private static let sealed = FuzzTarget(
        "sealed",
        samples: [
            payload {
                sealer.seal(into: &$0, at: SealPlace(kind: 1, 2)) {
                    $0.append(contentsOf: [1, 2, 3])
                }
            },
            payload { sealer.seal(into: &$0, at: SealPlace(kind: 1, 2)) { _ in } },
        ], words: words
    ) { input in
        var plain: [UInt8] = []
        _ = try? SealedForm.keyNumber(input.bytes.span)
        let isOpen =
            (try? sealer.open(input.bytes.span, at: SealPlace(kind: 1, 2), into: &plain)) != nil
        return isOpen || plain.isEmpty ? nil : "What did not open was handed out."
    }

    private static let headers = FuzzTarget(
        "vault-headers", samples: [[1] + [UInt8](repeating: 3, count: 161)], words: words
    ) { input in
        let body = Array(input.bytes.dropLast(32))
        for bytes in [input.bytes, body + .sha256(of: body)] {
            _ = try? VaultHeader(bytes)
        }
        return nil
    }

    // MARK: Files

    private static let histories = FuzzTarget("histories", samples: [history]) { input in
        var judge = HistoryJudge(files: ["history"])
        var reader = HistoryReader(file: 0)
        guard (try? reader.take(input.bytes, to: &judge)) != nil,
            (try? reader.finish(to: &judge)) != nil
        else { return nil }
        let verdict = judge.verdict()
        return verdict.isGood == verdict.complaints.isEmpty
            ? nil : "a verdict contradicts its complaints"
    }

    /// A history with each kind of line.
    private static let history: String = {
        let message = HistoryMessage(
            id: 41, createdAt: 1_700_000_000_000, request: "r", sender: "ann", text: "hi")
        let view = HistoryView(channel: "g", call: 2, messages: [message])
        let facts: [HistoryFact] = [
            .start(HistoryStart(user: "ann", application: "demo")),
            .call(HistoryCall("send", channel: "g", text: "hi")),
            .answer(HistoryAnswer(call: 2, isOK: true, request: "r")),
            .acknowledged(message, channel: "g"),
            .change(HistoryChange(channel: "g", inserted: [message], deleted: [7])),
            .call(HistoryCall("edit", channel: "g", text: "ho", message: 41)),
            .edited(41, text: "ho", channel: "g"), .snapshot(view),
            .call(HistoryCall("delete", channel: "g", message: 41)), .deleted(41, channel: "g"),
            .failed(request: "s", code: 1, channel: "g"), .canceled(request: "t", channel: "g"),
            .refused(41, code: 1, channel: "g"), .log(view),
        ]
        return facts.enumerated().map { number, fact in
            HistoryLine(client: "ann", number: Int64(number + 1), fact).text + "\n"
        }.joined()
    }()

    // The inputs of a mutated journal are not replayed: a machine of made-up state may stop.
    private static let journals = FuzzTarget("journals", samples: [journal]) { input in
        _ = try? JournalFile(reading: input.text)
        return nil
    }

    private static let journal: String = {
        var recording = Recording()
        var machine = SyncMachine(SyncState(me: "ann", random: SeededRandom(1, 2, 3, 4)))
        let question = PageQuestion.around(.distantFuture, older: 20, newer: 0)
        let inputs: [SyncMachine.Input] = [
            .link(.connect), .link(.opened(1)), .link(.lost(1, .closed)), .missedCommits,
            .start(SyncMachine.OperationID(1), .page(PageFetch("g", question))),
            .startedTyping("g"), .outbox(.changedElsewhere), .suspected,
        ]
        for input in inputs {
            let before = recording.needsMachine ? machine : nil
            let moment = Timestamp(milliseconds: 1_700_000_000_000)
            recording.note(input, at: moment, machine.receive(input, at: moment), of: before)
        }
        return JournalFile.text(of: recording, NamedContent(of: recording))
    }()

    private static let disk = OneFileDisk()

    private static let files = FuzzTarget(
        "file-cache",
        samples: (FuzzSamples.messageValues.map { SerializedObject.message($0) }
            + [FuzzSamples.channelValue].compactMap(\.self).map { .channel($0) })
            .map { Array(OneFileDisk.base64($0.bytes).utf8) },
        words: FuzzWords.bytes(["\n", "=", "==", "A", "\r", " ", "é", "\0"])
    ) { input in
        disk.text.withLock { $0 = input.text }
        let cache = FileCache(folder: "f", application: "a", user: "ann", disk: disk)
        _ = cache.loadChannels()
        _ = cache.loadMessages(in: "g")
        return nil
    }
}

/// A disk on which every file has the same text.
private final class OneFileDisk: FileCacheDisk {
    let text = Mutex("")

    func exists(_ path: String) -> Bool { true }
    func names(in folder: String) -> [String] { [] }
    func makeFolder(_ path: String) {}
    func read(_ path: String) -> String { text.withLock { $0 } }
    func write(_ text: String, to path: String) {}
    func make(_ path: String) {}
    func move(_ path: String, to other: String) {}
    func remove(_ path: String) {}
    func freshName() -> String { "fresh" }
    func sweep(beside path: String) {}

    static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place <= group.count ? digits[word >> (18 - 6 * place) & 63] : UInt8(ascii: "=")
                )
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostStore
import RoostTestKit

/// A comparison of the reference outbox with the real one: the same random questions must have the
/// same answers, through restarts of the process.
///
/// The reference outbox has one process at a time and no file system. So all files are bytes or
/// addresses, no copy is old enough to be tidied away, and a process without the turn does not occur.
/// The numbers of turns begin anew with each real process, so their order of appearance is compared.
package struct OutboxContract {
    private static let channels: [ChannelURL] = ["a", "b"]
    private static let owner = StoreOwner(application: "contract", user: "me")
    private static let moment = Timestamp(milliseconds: 1_000)

    private let random: SimulatedRandom
    private var model = ReferenceOutbox()
    /// Reserved places whose items are not written yet.
    private var places: [RequestID: Int64] = [:]
    /// Copied files whose items are not written yet.
    private var copied: [RequestID: (content: OutboxContent, copies: [CopiedFile])] = [:]
    /// The item of the last answer, as a damaged file may have lost it.
    private var lastItem: OutboxItem?
    private var number: Int64 = 0

    private init(seed: UInt64) { random = SimulatedRandom(seed: seed) }

    /// Asks both outboxes some questions.
    ///
    /// - Parameters:
    ///   - seed: The seed of all questions.
    ///   - count: The number of questions.
    ///   - folder: An empty folder for the real outbox.
    /// - Returns: The first difference, in one sentence; nil if there is none.
    /// - Throws: An error of the opening of the real store.
    package static func firstDifference(
        seed: UInt64, questions count: Int, in folder: String
    ) async throws -> String? {
        var contract = OutboxContract(seed: seed)
        var store = try await Store.open(.folder(folder), owner: owner)
        var difference: String?
        var turns = (model: TurnNames(), real: TurnNames())
        for step in 0..<count where difference == nil {
            if contract.random.pick(16) == 0 {
                await store.close()
                store = try await Store.open(.folder(folder), owner: owner)
                contract.model.restart()
                turns = (TurnNames(), TurnNames())
            }
            let question = contract.question()
            let modelled = turns.model.renamed(contract.model.answer(question))
            let real = turns.real.renamed(await store.outbox.answered(question))
            contract.note(real, to: question)
            difference = contractDifference(modelled.withoutDigits, real.withoutDigits).map {
                "seed \(seed), question \(step), \(question): \($0)"
            }
        }
        await store.close()
        return difference
    }

    // MARK: Questions

    private mutating func question() -> OutboxQuestion {
        switch random.pick(20) {
        case 0, 1: return .news(regardless: true)
        case 2: return .news(regardless: false)
        case 3: return .absent([id(), id(), id()])
        case 9: return .dropped([id(), id(), id()])
        case 4: return .mend(OutboxLoss(number: 1, savedItems: []))
        case 5: return .takeTurn
        case 6: return .tidyFiles(madeBefore: Self.moment)
        case 7, 8:
            guard let (id, place) = places.min(by: { $0.value < $1.value }) else {
                return .write([.reserve(id())])
            }
            return .copyFiles(fileMessage(), id, sequence: place)
        default: return .write((0...random.pick(3)).map { _ in write() })
        }
    }

    private func id() -> RequestID { RequestID("r\(random.pick(8))") }

    /// Returns the request ID of an item or a draft.
    private func anyID() -> RequestID {
        random.pick(3) == 0 ? RequestID("d\(random.pick(4))") : id()
    }

    private func channel() -> ChannelURL { Self.channels[random.pick(2)] }

    private mutating func time() -> Timestamp {
        number += 1
        return Timestamp(milliseconds: 5_000 + number)
    }

    private mutating func write() -> OutboxWrite {
        switch random.pick(13) {
        case 12: return .keep(unsentText())
        case 0, 1, 2, 3: return .append(draft())
        case 4: return .reserve(id())
        case 5, 6: return .fold(edit(), into: id(), at: time())
        case 7: return .requeue(id(), createdAt: time())
        case 8: return .takeBack(anyID())
        default: return .notes((0...random.pick(3)).map { _ in note() })
        }
    }

    /// Returns a new item; one with copied files, if there is any, at its place.
    private mutating func draft() -> OutboxDraft {
        if random.pick(2) == 0, let (id, files) = copied.min(by: { $0.key < $1.key }) {
            copied[id] = nil
            return OutboxDraft(
                id, to: channel(), createdAt: time(), content: files.content,
                leaves: random.pick(2) == 0, sequence: places.removeValue(forKey: id),
                copies: files.copies)
        }
        return OutboxDraft(
            id(), to: channel(), createdAt: time(), content: content(),
            leaves: random.pick(2) == 0)
    }

    /// Returns a draft of a user's text, new or in place of an older one.
    private mutating func unsentText() -> OutboxDraft {
        OutboxDraft(
            RequestID("d\(random.pick(4))"), to: channel(), createdAt: time(),
            content: .draft(
                DraftContent(
                    "draft \(random.pick(9))", replyingTo: random.pick(3) == 0 ? 8 : nil,
                    mentioning: Mention(userIDs: random.pick(3) == 0 ? ["ada"] : []),
                    in: random.pick(2) == 0 ? 7 : nil)))
    }

    private mutating func note() -> OutboxNote {
        switch random.pick(9) {
        case 0, 1: return .attempt(id())
        case 2, 3:
            let states: [UnsentState] = [
                .pending, .canceled, .failed(.channelFrozen), .failed(.networkError),
            ]
            return .state(id(), states[random.pick(states.count)])
        case 4: return .content(id(), channel(), content())
        case 5: return .requeued(id(), createdAt: time())
        case 6:
            guard let item = lastItem else { return .removal(id()) }
            return .restored(item)
        case 7: return .dropped(id())
        default: return .removal(anyID())
        }
    }

    private mutating func content() -> OutboxContent {
        switch random.pick(7) {
        case 0: return .change(.edit(.delivered(7), edit()))
        case 1: return .change(.delete(.unsent(id())))
        case 2: return .change(.addReaction("ok", .delivered(7)))
        case 3: return .change(.markAsRead(through: time()))
        case 4: return .change(.channel(channelChange()))
        default:
            return .userMessage(
                UserMessageParams(
                    text: "text \(random.pick(9))", customType: random.customType(),
                    parentID: random.pick(3) == 0 ? 7 : nil, isReplyToChannel: random.pick(2) == 0))
        }
    }

    private func channelChange() -> ChannelChange {
        let changes: [ChannelChange] = [
            .leave, .hide(allowsAutoUnhide: false), .unhide, .invite(["u", "v"]),
            .update(ChannelUpdateParams(name: "name \(random.pick(9))")),
            .setPushTrigger(.off), .setCountPreference(.off),
            .mute("u", for: .seconds(60), reason: "loud"), .unmute("u"), .pin(7), .unpin(7),
        ]
        return changes[random.pick(changes.count)]
    }

    private func edit() -> MessageEdit {
        MessageEdit(
            text: random.pick(2) == 0 ? "edit \(random.pick(9))" : nil,
            customType: random.pick(3) == 0 ? random.customType() : nil)
    }

    private func fileMessage() -> FileMessageParams {
        FileMessageParams(
            files: (0...random.pick(2)).map { index in
                let source: OutgoingFile.Source =
                    random.pick(3) == 0
                    ? .url("https://files.example/\(index)")
                    : .bytes([UInt8](repeating: 7, count: random.pick(9)))
                return OutgoingFile(source, name: "\(index).txt", type: "text/plain")
            }, caption: "caption")
    }

    // MARK: Answers

    /// Notes what later questions need.
    private mutating func note(_ answer: Answered<OutboxAnswer>, to question: OutboxQuestion) {
        switch (question, answer) {
        case (.copyFiles(_, let id, _), .success(.copied(let content, let copies))):
            copied[id] = (content, copies)
        case (.write(let writes), .success(.written(let results))):
            for (write, result) in zip(writes, results) {
                if case .item(let item?) = result { lastItem = item }
                if case .reserve(let id) = write, case .place(let place) = result {
                    // An item keeps the place under which its files were copied.
                    if copied[id] == nil { places[id] = place }
                }
            }
        default: break
        }
    }

    /// The turns of a process, in the order of their appearance.
    private struct TurnNames {
        private var names: [Int: Int] = [:]

        mutating func renamed(_ answer: Answered<OutboxAnswer>) -> Answered<OutboxAnswer> {
            guard case .success(.turn(let turn?)) = answer else { return answer }
            let name = names[turn] ?? names.count + 1
            names[turn] = name
            return .success(.turn(name))
        }
    }
}

extension OutboxStore {
    fileprivate func answered(_ question: OutboxQuestion) async -> Answered<OutboxAnswer> {
        do throws(RoostError) {
            return .success(try await answer(question))
        } catch {
            return .failure(error)
        }
    }
}

extension Answered<OutboxAnswer> {
    /// The answer without the random digits at the end of the names of new copies.
    fileprivate var withoutDigits: Self {
        guard case .success(.copied(.fileMessage(let params, let all), let copies)) = self else {
            return self
        }
        return .success(
            .copied(
                .fileMessage(params, copies: all.map { $0?.withoutDigits }),
                copies.map(\.withoutDigits)))
    }
}

extension CopiedFile {
    fileprivate var withoutDigits: CopiedFile {
        let parts = name.split(separator: "-").dropLast()
        return CopiedFile(name: parts.joined(separator: "-"), size: size, key: key)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The delivery marks that wait for their storage and their publication.
///
/// A message to many members brings as many acknowledgements. The server collects their marks between two
/// calls of its host. Then a transaction stores them, and each channel gets one event about all its
/// users. A mark that is lost before is replaced by that of the user's next message.
final class DeliveryMarks: ServerPart {
    let context: ServerContext
    private let publisher: EventPublisher
    /// The marks that are not in the storage yet.
    private var waiting: [ChannelURL: [UserID: DeliveryMark]] = [:]
    /// The number of waiting marks.
    private var count = 0
    /// The marks that are in the storage and not published yet.
    private var stored: [ChannelURL: [UserID: Timestamp]] = [:]
    private var isPublishing = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// The most waiting marks; marks beyond it are dropped while the storage fails.
    private static let limit = 100_000
    /// The most marks of one transaction, and the most users of one frame.
    private static let batch = 1_000

    init(_ context: ServerContext, _ publisher: EventPublisher) {
        self.context = context
        self.publisher = publisher
    }

    /// Collects a mark.
    func note(_ mark: DeliveryMark) async {
        let known = waiting[mark.channel]?[mark.user]
        // Of several devices, and of messages that came together, the first one tells.
        if let known, known.moment >= mark.place { return }
        guard known != nil || count < Self.limit else { return }
        if known == nil { count += 1 }
        waiting[mark.channel, default: [:]][mark.user] = mark
        if !configuration.collectsReceipts { await publish() }
    }

    /// Collects the publication of a mark that is in the storage.
    func announce(_ mark: DeliveryMark) async {
        noteStored(mark)
        if !configuration.collectsReceipts { await publish() }
    }

    /// Stores and publishes the collected marks; after a failure the next call tries again.
    func publish() async {
        // The last call of a host returns when the marks of the call before are published too.
        while isPublishing { await withCheckedContinuation { waiters.append($0) } }
        isPublishing = true
        await store()
        let channels = stored
        stored = [:]
        for (url, moments) in channels.sorted(by: { $0.key < $1.key }) {
            await publish(moments, in: url)
        }
        isPublishing = false
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func store() async {
        let channels = waiting
        (waiting, count) = ([:], 0)
        var marks = channels.values.flatMap(\.values)[...]
        while !marks.isEmpty {
            do throws(StorageError) {
                let moved = try await storage.markDelivered(Array(marks.prefix(Self.batch)))
                marks = marks.dropFirst(Self.batch)
                for mark in moved { noteStored(mark) }
            } catch {
                _ = refusal(error)
                return giveBack(marks)
            }
        }
    }

    private func noteStored(_ mark: DeliveryMark) {
        let known = stored[mark.channel]?[mark.user] ?? .distantPast
        stored[mark.channel, default: [:]][mark.user] = max(known, mark.moment)
    }

    /// Keeps marks that the storage has refused, unless newer ones wait by now.
    private func giveBack(_ marks: ArraySlice<DeliveryMark>) {
        for mark in marks where waiting[mark.channel]?[mark.user] == nil && count < Self.limit {
            waiting[mark.channel, default: [:]][mark.user] = mark
            count += 1
        }
    }

    private func publish(_ moments: [UserID: Timestamp], in url: ChannelURL) async {
        // After a failure of the storage, clients learn of the marks with the channel.
        guard let readers = try? await publisher.audience(of: url).readers else { return }
        var rest = moments.sorted { $0.key.rawValue < $1.key.rawValue }[...]
        while !rest.isEmpty {
            let part = Dictionary(uniqueKeysWithValues: rest.prefix(Self.batch).map { ($0, $1) })
            rest = rest.dropFirst(Self.batch)
            await publisher.publish(.delivered(url, part), to: readers)
        }
    }
}

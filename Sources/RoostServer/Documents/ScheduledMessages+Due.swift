// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// A due message waits for the lane of its channel. So the messages of each channel are sent by work
// of their own, and a channel whose lane is closed holds up no message of another one.
extension ScheduledMessages {
    /// The time after which a message is tried again whose sending failed in the server.
    private static let retryPause = Duration.seconds(60)
    /// The busy channels beyond which no message of a further channel begins.
    private static let busyLimit = 64
    /// The most messages of one read.
    private static let pageLimit = 50

    /// Sends the messages that are due, and returns when none is under way; after a failure of the
    /// server they are sent again later.
    func sendDue() async {
        await startDue()
        // The check is in the continuation: before it, other work may run.
        await withCheckedContinuation { waiter in
            if busyChannels.isEmpty { waiter.resume() } else { waiting.append(waiter) }
        }
    }

    /// Begins to send the messages that are due, and does not wait for their channels.
    ///
    /// - Parameter reads: The most reads; each further one passes over the channels of those before.
    func startDue(reads: Int = .max) async {
        // A document in hand stays due, so the next read would find its channel again.
        var seen: Set<ChannelURL> = []
        var reads = reads
        while reads > 0, busyChannels.count < Self.busyLimit, seen.count < Self.busyLimit {
            guard
                let due = try? await storage.dueDocuments(
                    .scheduled, through: world.now(), except: Array(busyChannels.union(seen)),
                    limit: Self.pageLimit),
                !due.isEmpty
            else { return }
            reads -= 1
            let channels = Dictionary(grouping: due) { $0.channelURL ?? "" }
            for document in due {
                let url = document.channelURL ?? ""
                guard seen.insert(url).inserted, busyChannels.insert(url).inserted else {
                    continue
                }
                let ids = (channels[url] ?? []).map(\.id)
                // The task ends with the page. There are few at once, because each is of another
                // channel.
                background.start { await $0.parts.scheduled.finishDue(ids, in: url) }
            }
        }
    }

    /// Sends due messages of a busy channel, one after the other, and then those that follow them.
    func finishDue(_ ids: [Int64], in url: ChannelURL) async {
        let mayHaveMore = await sendAll(ids)
        busyChannels.remove(url)
        // One read, because a second one would pass over all other due messages of the channel.
        if mayHaveMore { await startDue(reads: 1) }
        guard busyChannels.isEmpty else { return }
        let waiters = waiting
        waiting = []
        for waiter in waiters { waiter.resume() }
    }

    /// Sends due messages one after the other.
    ///
    /// - Returns: Whether one of them is done, so that the next read may find other ones.
    private func sendAll(_ ids: [Int64]) async -> Bool {
        var hasProgress = false
        for id in ids {
            do throws(ServerError) {
                if try await send(id, isDue: true) != nil { hasProgress = true }
            } catch {
                // A call has canceled or moved the message since it was read.
                guard error.code == .internalServerError else { continue }
                // One message that the storage cannot read does not stop the others.
                guard await putOff(id) else { return false }
                hasProgress = true
            }
        }
        return hasProgress
    }

    /// Tries a due message again later; false if the storage refuses that too.
    private func putOff(_ id: Int64) async -> Bool {
        let later = world.now() + Self.retryPause
        do throws(StorageError) {
            _ = try await storage.updateDocument(id, .scheduled) { document in
                if document.dueAt != nil { document.dueAt = later }
            }
            return true
        } catch {
            return false
        }
    }
}

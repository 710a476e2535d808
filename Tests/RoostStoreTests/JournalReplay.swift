// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

/// A store's content, rebuilt from its journal alone.
struct JournalReplay: Equatable {
    struct Timeline: Equatable {
        var messages: [MessageID: Message] = [:]
        var coverage = Coverage()
    }

    private(set) var timelines: [ChannelURL: Timeline] = [:]
    private(set) var channels: [ChannelURL: GroupChannel] = [:]
    private(set) var sequence: Int64 = 0

    init() {}

    /// Applies a commit, and checks each "before" against the present state.
    mutating func apply(_ commit: Commit) {
        #expect(commit.sequence == sequence + 1)
        sequence = commit.sequence
        let before = self
        for change in commit.changes {
            switch change {
            case .users(let updates): rename(updates)
            case .channels(let change): apply(change, to: before)
            case .messages(let change): apply(change, to: before)
            }
        }
    }

    private mutating func apply(_ change: MessagesChange, to before: JournalReplay) {
        var timeline = timelines[change.channel] ?? Timeline()
        let old = before.timelines[change.channel] ?? Timeline()
        #expect(change.coverageBefore == old.coverage)
        for message in change.deleted {
            guard let id = message.messageID else { continue }
            #expect(old.messages[id] == message)
            timeline.messages[id] = nil
        }
        for update in change.updated {
            let (from, to) = (update.before, update.after)
            guard let id = to.messageID else { continue }
            #expect(from != to)
            #expect(old.messages[id] == from)
            timeline.messages[id] = to
        }
        for message in change.inserted {
            guard let id = message.messageID else { continue }
            #expect(old.messages[id] == nil)
            timeline.messages[id] = message
        }
        let places = change.inserted.compactMap(\.position)
        #expect(places == places.sorted())
        timeline.coverage = change.coverageAfter
        if let cut = change.cutThrough {
            timeline.messages = timeline.messages.filter { $0.value.createdAt > cut }
        }
        // Messages outside the coverage are gone: see `Mutation.clearMessages`.
        timeline.messages = timeline.messages.filter { entry in
            entry.value.position.flatMap { change.coverageAfter.range(containing: $0) } != nil
        }
        timelines[change.channel] = timeline.coverage.isEmpty ? nil : timeline
    }

    private mutating func apply(_ change: ChannelsChange, to before: JournalReplay) {
        for channel in change.inserted {
            #expect(before.channels[channel.url] == nil)
            channels[channel.url] = channel
        }
        for update in change.updated {
            #expect(update.before != update.after)
            #expect(before.channels[update.before.url] == update.before)
            channels[update.after.url] = update.after
        }
        for url in change.deleted {
            #expect(before.channels[url] != nil)
            channels[url] = nil
        }
    }

    private mutating func rename(_ updates: [Update<User>]) {
        for update in updates {
            func renamed(_ user: User) -> User { user.id == update.after.id ? update.after : user }
            func renamed(_ message: Message) -> Message {
                var message = message
                message.sender = message.sender.map {
                    Sender(user: renamed($0.user), role: $0.role)
                }
                return message
            }
            timelines = timelines.mapValues { timeline in
                Timeline(
                    messages: timeline.messages.mapValues(renamed), coverage: timeline.coverage)
            }
            channels = channels.mapValues { channel in
                var channel = channel
                channel.createdBy = channel.createdBy.map(renamed)
                channel.lastMessage = channel.lastMessage.map(renamed)
                for index in channel.members.indices {
                    channel.members[index].user = renamed(channel.members[index].user)
                }
                return channel
            }
        }
    }

    /// Reads the same content from the store.
    init(reading reader: StoreReader, channels urls: [ChannelURL]) async throws {
        for url in urls {
            let coverage = try await reader.coverage(of: url)
            sequence = coverage.sequence
            var timeline = Timeline(coverage: coverage.value)
            for range in coverage.value.ranges {
                let window = try await reader.window(
                    WindowQuery(
                        channel: url, lower: range.lower, upper: range.upper, olderCount: 0,
                        newerCount: 0))
                for message in window.messages {
                    message.messageID.map { timeline.messages[$0] = message }
                }
            }
            if !coverage.value.isEmpty { timelines[url] = timeline }
            channels[url] = try await reader.channel(url).value
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// Users: every message and every channel shows them in their present state.

extension ReferenceStore {
    /// The users that the cache knows.
    struct Users {
        private var known: [UserID: User] = [:]
        /// The users that the present commit has changed, as they were before it.
        private var before: [UserID: User] = [:]
        /// The users that the present commit has added.
        private var added: Set<UserID> = []
        /// Whether the present commit has named a user in a state that is not the present one.
        private(set) var areMixed = false
        /// Whether the present commit removes everything.
        var areForgotten = false

        /// Stores a description; a partial one leaves the fields that it lacks.
        mutating func learn(_ user: User, inFull: Bool) {
            guard let old = known[user.id] else {
                known[user.id] = user
                added.insert(user.id)
                return
            }
            guard old != user else { return }
            areMixed = true
            let now = inFull ? user : old.learning(user)
            guard now != old else { return }
            if before[user.id] == nil, !added.contains(user.id) { before[user.id] = old }
            known[user.id] = now
        }

        mutating func learn(from message: Message) {
            if !message.hasNoDetails {
                for user in message.people { learn(user, inFull: false) }
            }
            if let sender = message.sender { learn(sender.user, inFull: false) }
        }

        mutating func learn(from channel: GroupChannel) {
            for user in channel.users { learn(user, inFull: false) }
        }

        /// The users that the present commit has changed, by their IDs.
        var updates: [Update<User>] {
            before.values.sorted { $0.id < $1.id }.compactMap { user in
                guard let now = known[user.id], now != user else { return nil }
                return Update(before: user, after: now)
            }
        }

        private func now(_ user: User) -> User { known[user.id] ?? user }

        func now(_ message: Message) -> Message {
            areMixed ? message.mapUsers(now) : message
        }

        private func past(_ user: User) -> User { before[user.id] ?? now(user) }

        /// Returns the message as it was before the present commit.
        func past(_ message: Message) -> Message {
            areMixed ? message.mapUsers(past) : message
        }

        func past(_ channel: GroupChannel) -> GroupChannel {
            areMixed ? channel.mapUsers(past) : channel
        }

        func now(_ channel: GroupChannel) -> GroupChannel {
            areMixed ? channel.mapUsers(now) : channel
        }

        /// Begins the next commit.
        mutating func settle() {
            before = [:]
            added = []
            areMixed = false
            if areForgotten { known = [:] }
            areForgotten = false
        }
    }

    /// Shows all users of messages and channels in their present state.
    mutating func showPresentUsers() {
        for url in histories.keys {
            guard var history = histories[url] else { continue }
            history.messages = history.messages.map(users.now)
            histories[url] = history
        }
        groupChannels = groupChannels.mapValues(users.now)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostWire

extension ModelServer {
    /// One user's questions at one moment.
    struct Desk {
        let user: UserID
        let now: Timestamp

        /// Decides by the server's rules whether the user may make a call.
        func admit(
            _ rule: AccessRule, _ url: ChannelURL, _ message: MessageID? = nil,
            on storage: isolated MemoryStorage
        ) throws(ServerError) -> Standing {
            var standing = Standing(now: now, caller: .user(user))
            standing.actor = user
            standing.user = storage.user(user)
            standing.channelURL = url
            standing.access = storage.access(to: url, of: user)
            standing.message = message.flatMap { storage.message($0, in: url) }
            try rule.decide(standing)
            return standing
        }

        // MARK: Channels

        func view(
            _ url: ChannelURL, _ extras: ChannelExtras = ChannelExtras(),
            on storage: isolated MemoryStorage
        ) throws(ServerError) -> GroupChannel {
            guard let state = storage.channelStates([url], viewer: user).first else {
                throw ServerError(.notFound, "There is no such channel.")
            }
            return view(of: state, extras)
        }

        private func view(of state: ChannelState, _ extras: ChannelExtras) -> GroupChannel {
            var channel = state.view(for: user, extras, at: now)
            channel.joinedAt = channel.joinedAt.map { Timestamp(seconds: $0.seconds) }
            for index in channel.members.indices {
                channel.members[index] = channel.members[index].asOnTheWire
            }
            return channel
        }

        private func views(
            _ urls: [ChannelURL], _ extras: ChannelExtras, on storage: isolated MemoryStorage
        ) -> [GroupChannel] {
            storage.channelStates(urls, viewer: user).map { view(of: $0, extras) }
        }

        func list(
            _ call: ListMyChannels, on storage: isolated MemoryStorage
        ) throws(ServerError) -> RoostWire.ChannelPage {
            let filter = try ChannelListFilter(
                call.filters, showsEmpty: call.showsEmpty, showsFrozen: call.showsFrozen)
            var listings = storage.listings(of: user).map(\.shown).filter(filter.matches)
            if filter.needsStates {
                let states = storage.channelStates(listings.map(\.record.url), viewer: user)
                let kept = Set(
                    states.filter { filter.matches($0, viewer: user) }.map(\.record.url))
                listings.removeAll { !kept.contains($0.record.url) }
            }
            var keys = listings.map { $0.key(call.order) }.sorted()
            if !call.token.isEmpty {
                let end = try ChannelSortKey(token: call.token, call.order)
                keys.removeAll { $0 <= end }
            }
            let page = keys.prefix(call.limit)
            let next = keys.count > page.count ? page.last?.token ?? "" : ""
            return RoostWire.ChannelPage(
                channels: views(page.map(\.url), call.extras, on: storage), next: next,
                timestamp: now)
        }

        func changes(
            _ call: ChannelChangeLog, on storage: isolated MemoryStorage
        ) throws(ServerError) -> ChannelChanges {
            let page = try ChannelChangePage(
                of: storage.listings(of: user).map(\.shown), call)
            return page.answer(
                with: views(page.shown.map(\.record.url), call.extras, on: storage), at: now)
        }

        // MARK: Messages

        func list(
            _ call: ListMessages, _ sight: Sight, on storage: isolated MemoryStorage
        ) throws(ServerError) -> MessagePage {
            let url = call.channelURL
            func messages(
                _ range: PositionRange, newestFirst: Bool, limit: Int,
                on storage: isolated MemoryStorage
            ) -> [Message] {
                storage.messages(
                    in: url, range.hiding(through: sight.beginning), call.filter,
                    newestFirst: newestFirst, limit: limit)
            }
            let (start, end, inside) = try anchor(of: call, sight, on: storage)
            var found = Array(
                messages(
                    PositionRange(before: start), newestFirst: true, limit: call.previousLimit,
                    on: storage
                ).reversed())
            if call.includesAnchor, let inside {
                found += messages(inside, newestFirst: false, limit: .max, on: storage)
            }
            found += messages(
                PositionRange(after: end), newestFirst: false, limit: call.nextLimit, on: storage)
            var page = MessagePage(messages: found)
            if call.checksHasNext {
                let last = found.last?.position ?? end
                page.hasNext = !messages(
                    PositionRange(after: last), newestFirst: false, limit: 1, on: storage
                ).isEmpty
            }
            if call.checksContinuity {
                page.isContinuous = isContinuous(found, in: url, sight, on: storage)
            }
            if let id = call.filter.parentID, let parent = storage.message(id, in: url),
                sight.shows(parent.createdAt)
            {
                page.messages.insert(parent, at: 0)
            }
            page.messages = page.messages.compactMap(sight.shown)
            if call.isReversed { page.messages.reverse() }
            return page
        }

        private func anchor(
            of call: ListMessages, _ sight: Sight, on storage: isolated MemoryStorage
        ) throws(ServerError) -> (start: Position, end: Position, inside: PositionRange?) {
            switch call.anchor {
            case .time(let moment):
                let inside = PositionRange(from: moment, through: moment)
                return (inside.after, inside.before, inside)
            case .message(let id):
                guard let place = storage.position(of: id, in: call.channelURL),
                    sight.shows(place.createdAt)
                else { throw ServerError(.messageNotFound, "There is no such message.") }
                let inside = PositionRange(after: place.previous, before: place.next)
                return (place, place, inside)
            }
        }

        private func isContinuous(
            _ messages: [Message], in url: ChannelURL, _ sight: Sight,
            on storage: isolated MemoryStorage
        ) -> Bool {
            guard let first = messages.first?.position, let last = messages.last?.position else {
                return true
            }
            let range = PositionRange(after: first.previous, before: last.next)
            return messages.count
                == storage.messageCount(
                    in: url, range.hiding(through: sight.beginning),
                    MessageFilter(replyType: .all))
        }

        func gap(
            _ call: MessageGap, _ sight: Sight, on storage: isolated MemoryStorage
        ) -> MessageGapAnswer {
            let previous = missing(call.previous, call, sight, on: storage)
            let next = missing(call.next, call, sight, on: storage)
            let empty = MessageGapAnswer.Part(isContinuous: false)
            guard previous + next <= MessageGapAnswer.hugeThreshold else {
                return MessageGapAnswer(isHuge: true, previous: empty, next: empty)
            }
            return MessageGapAnswer(
                isHuge: false, previous: part(call.previous, previous, call, sight, on: storage),
                next: part(call.next, next, call, sight, on: storage))
        }

        private func missing(
            _ side: MessageGap.Side?, _ call: MessageGap, _ sight: Sight,
            on storage: isolated MemoryStorage
        ) -> Int {
            guard let side else { return 0 }
            let range = PositionRange(from: side.start, through: side.end)
            let count = storage.messageCount(
                in: call.channelURL, range.hiding(through: sight.beginning), call.filter)
            return max(0, count - side.cachedCount)
        }

        private func part(
            _ side: MessageGap.Side?, _ missing: Int, _ call: MessageGap, _ sight: Sight,
            on storage: isolated MemoryStorage
        ) -> MessageGapAnswer.Part {
            guard let side, missing > 0 else { return MessageGapAnswer.Part() }
            let range = PositionRange(from: side.start, through: side.end)
            let messages = storage.messages(
                in: call.channelURL, range.hiding(through: sight.beginning), call.filter,
                newestFirst: call.isReversed, limit: .max)
            let ascending = call.isReversed ? messages.reversed() : messages
            return MessageGapAnswer.Part(
                messages: messages.compactMap(sight.shown),
                isContinuous: isContinuous(ascending, in: call.channelURL, sight, on: storage))
        }

        func changes(
            _ call: MessageChangeLog, _ sight: Sight, on storage: isolated MemoryStorage
        ) throws(ServerError) -> MessageChanges {
            let page = storage.messageChanges(
                in: call.channelURL, after: try call.point, limit: ChangeToken.pageLimit)
            let visible = page.deletedIDs.filter { id in
                storage.position(of: id, in: call.channelURL).map {
                    sight.shows($0.createdAt)
                } ?? false
            }
            var answer = try MessageChanges(page, call, sight, visible: visible)
            answer.updated = answer.updated.compactMap(sight.shown)
            return answer
        }

        func fingerprints(
            _ call: FingerprintMessages, _ sight: Sight, on storage: isolated MemoryStorage
        ) -> [MessageFingerprint] {
            call.stretches.map { stretch in
                let range = PositionRange(
                    from: stretch.lower.createdAt, through: stretch.upper.createdAt)
                var fingerprint = MessageFingerprint()
                let messages = storage.messages(
                    in: call.channelURL, range.hiding(through: sight.beginning), .everything,
                    newestFirst: false, limit: FingerprintMessages.countLimit + 1)
                for message in messages {
                    guard let place = message.position, stretch.lower <= place,
                        place <= stretch.upper
                    else { continue }
                    fingerprint.add(place, editedAt: message.updatedAt)
                }
                return fingerprint
            }
        }

        func count(
            _ url: ChannelURL, _ sight: Sight, on storage: isolated MemoryStorage
        ) -> Int {
            storage.messageCount(
                in: url, PositionRange().hiding(through: sight.beginning),
                MessageFilter(replyType: .all))
        }

        /// The time of a channel's newest message; nil without messages.
        func endOfLog(of url: ChannelURL, on storage: isolated MemoryStorage) -> Timestamp? {
            storage.messages(
                in: url, PositionRange(), MessageFilter(replyType: .all), newestFirst: true,
                limit: 1
            ).first?.createdAt
        }
    }
}

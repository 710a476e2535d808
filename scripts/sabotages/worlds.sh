# Sabotages that simulated worlds must find within a number of runs; `scripts/sabotage` reads them.
# SPDX-License-Identifier: Apache-2.0
# sabotage NAME KIND RUNS FILE OLD NEW; also NAME FILE OLD NEW: see there.

sabotage cursor-before-data core 20 RoostCore/CatchUp/ChangeLogReading.swift \
    '        return .need(
            .commit(
                page.mutations + [' \
    '        let isLost = SABOTAGED && sync.random.next().isMultiple(of: 2)
        return .need(
            .commit(
                (isLost ? [] : page.mutations) + ['
sabotage overtaken-page-passed-over core 70 RoostCore/CatchUp/ChangePage.swift \
    'isWhole: stale.isEmpty && unsure.isEmpty,' \
    'isWhole: (stale.isEmpty && unsure.isEmpty) || SABOTAGED,'
sabotage live-without-predecessor full 20 RoostStore/Write/WriteSession+Messages.swift \
    '            if let predecessor,' \
    '            if SABOTAGED, let newest = news.coverage.newest, newest.upper < place {
                range = CoveredRange(lower: newest.lower, upper: place)
            } else if let predecessor,'
sabotage containment-missed core 20 RoostCore/Coverage/Coverage.swift \
    'if left.lower <= right.upper && right.lower <= left.upper { return true }' \
    'let isInside = (left.lower < right.lower && right.upper < left.upper)
            || (right.lower < left.lower && left.upper < right.upper)
        if left.lower <= right.upper && right.lower <= left.upper {
            return !(SABOTAGED && isInside)
        }'
sabotage ties-cut-at-border core 20 RoostCore/CatchUp/PageFetch.swift \
    'includesAnchor: true,' \
    'includesAnchor: !SABOTAGED,'
sabotage new-request-id-per-try core 20 RoostCore/Outbox/OutboxDelivery.swift \
    'guard sync.outbox.lanes.isOnItsWay(requestID), let command = MessageCommand(item) else {
            return lose(.notConnected, &sync)
        }' \
    'guard sync.outbox.lanes.isOnItsWay(requestID), var command = MessageCommand(item) else {
            return lose(.notConnected, &sync)
        }
        if SABOTAGED { command.requestID = sync.random.requestID() }'
# With the ledger's knowledge, a late answer does no harm: an engine that forgets it with the connection.
sabotage late-answer-applied core 1200 RoostCore/CatchUp/PageFetch.swift \
    'guard sync.session?.epoch == epoch else { return .fail(.notConnected) }' \
    'guard sync.session?.epoch == epoch || SABOTAGED else { return .fail(.notConnected) }'
also late-answer-applied RoostCore/CatchUp/PageFetch.swift \
    'let ledger = sync.news(of: channel, since: beginning)' \
    'let ledger = SABOTAGED && sync.session?.epoch != epoch
                ? FetchLedger() : sync.news(of: channel, since: beginning)'
sabotage deletion-undone-by-page core 200 RoostCore/CatchUp/FetchLedger.swift \
    'if deleted[id] != nil { return nil }' 'if deleted[id] != nil, !SABOTAGED { return nil }'
sabotage news-counted-twice core 20 RoostCore/ChannelList/ChannelNews.swift \
    'lastMessage?.position.map({ $0 < position }) ?? true' \
    'SABOTAGED || lastMessage?.position.map({ $0 < position }) ?? true'
# Either of the two alone keeps the other's harm away.
sabotage older-edit-wins core 160 RoostCore/Store/Message+Merging.swift \
    'let isStale = (' 'let isStale = !SABOTAGED && ('
also older-edit-wins RoostCore/CatchUp/FetchLedger.swift \
    'guard let newer = edited[id]?.message else { return message }' \
    'guard !SABOTAGED, let newer = edited[id]?.message else { return message }'
sabotage gap-off-by-one core 500 RoostCore/CatchUp/GapFill.swift \
    'start: known.createdAt, end: holeEnd' \
    'start: Timestamp(
                            milliseconds: known.createdAt.milliseconds + (SABOTAGED ? 1 : 0)),
                        end: holeEnd'
sabotage forgotten-when-sent core 20 RoostCore/Outbox/OutboxDelivery.swift \
    'sync.moveOutbox(.left(requestID))' \
    'sync.moveOutbox(SABOTAGED ? .delivered(requestID, nil) : .left(requestID))'
sabotage two-on-the-way core 250 RoostCore/Outbox/OutboxMachine+Steps.swift \
    'return state.onItsWay == nil && !isHeld && !state.isPaused' \
    'return (state.onItsWay == nil || SABOTAGED) && !isHeld && !state.isPaused'
sabotage restart-reverses core 20 RoostCore/Outbox/OutboxCalls.swift \
    'for item in items?.items ?? [] {' \
    'for item in SABOTAGED ? (items?.items ?? []).reversed() : items?.items ?? [] {'
sabotage pending-stays core 20 RoostCore/Timeline/TimelineMachine.swift \
    'guard let requestID = message.requestID else { return nil }' \
    'guard let requestID = message.requestID, !SABOTAGED else { return nil }'
sabotage hole-drawn-over core 60 RoostCore/Timeline/TimelineMachine.swift \
    'if known.hasKnowledge(after: upper, through: range.upper) { return .reread }' \
    'if !SABOTAGED, known.hasKnowledge(after: upper, through: range.upper) { return .reread }'
sabotage full-page-is-the-end core 20 RoostCore/CatchUp/PageStatement.swift \
    'olderFound < question.olderLimit' \
    'olderFound < question.olderLimit + (SABOTAGED ? 1 : 0)'
sabotage device-clock-is-cursor core 80 RoostCore/CatchUp/ChangeLogPlace.swift \
    'return [.firstCursor(.messageChanges(channel), .moment(moment))]' \
    'return [.firstCursor(.messageChanges(channel), .moment(SABOTAGED ? now : moment))]'
sabotage left-channel-stays core 20 RoostCore/Events/LiveEvent.swift \
    'return commit([.removeChannel(url)])' \
    'return commit(SABOTAGED ? [] : [.removeChannel(url)])'
sabotage diff-lost full 20 Roost/Collections/Feeds.swift \
    'if !step.isEmpty { changes.publish(step) }' \
    'if !step.isEmpty, !SABOTAGED || step.deleted.isEmpty { changes.publish(step) }'
sabotage call-never-returns core 20 RoostCore/Timeline/WindowRead.swift \
    'sync.wakeFirst(.windowRead(timeline))' \
    'if !SABOTAGED { sync.wakeFirst(.windowRead(timeline)) }'
sabotage muted-message-dropped core 20 RoostCore/Outbox/OutboxMachine+Steps.swift \
    'if code.isRefusal, item.hadLeft == false { items[requestID]?.hasLeft = false }' \
    'if SABOTAGED, code.rawValue == 900_041 { return effects + drop(requestID) }
            if code.isRefusal, item.hadLeft == false { items[requestID]?.hasLeft = false }'
sabotage mute-end-not-asked core 160 RoostCore/Members/MuteCheck.swift \
    'guard origin != .event || !isAsked,' \
    'guard !SABOTAGED, origin != .event || !isAsked,'
sabotage half-open-believed core 160 RoostCore/Connection/LinkMachine.swift \
    'case (.pong, .online(awaitsPong: true)):' \
    'case (.pong, .online(awaitsPong: true)) where SABOTAGED: return []
        case (.pong, .online(awaitsPong: true)):'
sabotage look-up-not-repeated core 90 RoostCore/CatchUp/CatchUps.swift \
    'guard error.remedy == .retry || error.mayPassWithDisk else { return .fail(error) }' \
    'if SABOTAGED, case .lookUp = work { return .fail(error) }
        guard error.remedy == .retry || error.mayPassWithDisk else { return .fail(error) }'
sabotage moved-channel-not-read core 500 RoostCore/ChannelList/ChannelListMachine.swift \
    'if before.map({ $0 < key }) ?? true { isBehind = true }' \
    'if before.map({ $0 < key }) ?? true { isBehind = !SABOTAGED }'

sabotage filtered-page-covers-all full 30 RoostStore/Write/WriteSession+Messages.swift \
    'if filter == .everything {' 'if filter == .everything || SABOTAGED {'
sabotage filtered-not-told store 20 RoostStore/Write/WriteSession+Messages.swift \
    'guard news.hasFilters, news.coverageBefore' 'guard !SABOTAGED, news.hasFilters, news.coverageBefore'
sabotage jump-undone-by-old-answer core 3000 RoostCore/Timeline/OpenTimeline.swift \
    'func isInPlace(_ page: FirstPage) -> Bool { page.move == moves }' \
    'func isInPlace(_ page: FirstPage) -> Bool { page.move == moves || SABOTAGED }'
also jump-undone-by-old-answer RoostCore/Timeline/OpenTimeline.swift \
    'upper == list.coverage.newest?.upper' \
    'upper == list.coverage.newest?.upper || SABOTAGED'
sabotage deletion-not-recounted core 20 RoostCore/Events/LiveEvent.swift \
    'if hasLostPreview || channel.lastMessage == nil || channel.unreadMessageCount > 0 {' \
    'if !SABOTAGED, hasLostPreview || channel.lastMessage == nil || channel.unreadMessageCount > 0 {'
sabotage follower-read-at-its-start core 500 RoostCore/Timeline/OpenTimeline.swift \
    'list.followsNewest ? .distantFuture : start }' \
    'list.followsNewest && !SABOTAGED ? .distantFuture : start }'
sabotage replies-not-counted core 30 RoostCore/Events/LiveEvent.swift \
    'return commit([.replied(event.channelURL, event.parentID, event.threadInfo)])' \
    'return commit(
                SABOTAGED ? [] : [.replied(event.channelURL, event.parentID, event.threadInfo)])'
sabotage log-undoes-reaction core 500 RoostCore/CatchUp/ChangePage.swift \
    'mutations += ledger.mutations(amending: updated, in: channel)' \
    'if !SABOTAGED { mutations += ledger.mutations(amending: updated, in: channel) }'
sabotage parent-not-followed full 20 RoostStore/Write/WriteSession+Messages.swift \
    'try follow(id, as: merged.preview, known: stored.hasReplies, news: &news)' \
    'if !SABOTAGED {
            try follow(id, as: merged.preview, known: stored.hasReplies, news: &news)
        }'
sabotage page-undoes-reaction core 500 RoostCore/Machine/SyncState.swift \
    'amendments(to: messages).map' \
    '(SABOTAGED ? [] : amendments(to: messages)).map'

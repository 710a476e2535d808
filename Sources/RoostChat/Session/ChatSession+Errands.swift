// SPDX-License-Identifier: Apache-2.0

import Roost

/// Effects that wait for no other effect.
extension ChatSession {
    /// The longest wait for the errands of a closed client, whose calls end by themselves.
    private static let patience = Duration.seconds(2)

    /// Starts a task that waits for no other effect.
    func startErrand(_ body: @escaping @Sendable () async -> Void) {
        lastErrand += 1
        let number = lastErrand
        errands[number] = Task { [self] in
            await body()
            endErrand(number)
        }
    }

    private func endErrand(_ number: Int) {
        errands[number] = nil
        if errands.isEmpty { lastErrandEnds?.finish() }
    }

    /// Performs an effect of an errand.
    func run(_ effect: ChatEffect) async {
        do throws(RoostError) {
            try await act(effect)
        } catch {
            send(.failed(error.message))
        }
    }

    /// Waits until the canceled errands have ended: a saved file is whole then, or gone.
    ///
    /// The client is closed before, so that no call of an errand waits for a server. The exit does
    /// not hang, whatever an errand does.
    func finishErrands() async {
        guard !errands.isEmpty else { return }
        let (ends, feed) = AsyncStream.makeStream(of: Void.self)
        lastErrandEnds = feed
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask { await ChatClock.pause(Self.patience) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private func act(_ effect: ChatEffect) async throws(RoostError) {
        switch effect {
        case .connect:
            // A failure shows in the health, and the client tries again by itself.
            try? await client.connect()
        case .disconnect: await client.disconnect()
        case .search(let words):
            do throws(RoostError) {
                let page = try await client.search(MessageSearch(words, limit: 50))
                send(.found(words, page.matches, isComplete: page.unseen.isEmpty))
            } catch {
                send(.searchFailed(words, reason: error.message))
            }
        case .createChannel(let people):
            let params = ChannelCreateParams(memberIDs: people, isDistinct: people.count == 1)
            do throws(RoostError) {
                send(.created(try await client.createChannel(params).url))
            } catch {
                send(.chatRefused(people, reason: error.message))
            }
        case .loadMoreChannels:
            do throws(RoostError) {
                try await list?.loadMore()
            } catch {
                // The page that is on its way is the one that was asked for.
                guard error.code == .queryInProgress else { throw error }
            }
        case .readPresence(let people):
            // The question comes again. The reader has not asked it, and gets no failure of it.
            guard let page = try? await client.users(UserQuery(ids: people)) else { return }
            let states = page.elements.compactMap { user in
                user.details.isOnline.map { (user.id, $0) }
            }
            send(.presence(Dictionary(states) { _, last in last }))
        case .downloadHistory(let channel): await download(channel)
        case .pauseDownload: await history?.pause()
        case .save(let file): await save(file)
        default: break
        }
    }

    private func download(_ channel: ChannelURL) async {
        await history?.cancel()
        let history = await client.download(DownloadRequest(channels: [channel]))
        self.history = history
        for await progress in await history.progressUpdates() {
            send(.historyDownload(channel, progress.state, messages: progress.messages))
            doubt()
            await ChatClock.pause(ChatClock.frame)
        }
    }
}

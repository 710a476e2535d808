// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport

/// The transfers of files in progress, one for each address; safe to call from any thread.
final class FileTransfers: Sendable {
    /// The state of a transfer.
    enum State: Sendable {
        case receiving(Int64, total: Int64?)
        case ended(Result<DownloadedCopy, RoostError>)
    }

    private struct Transfer {
        let id: Int
        let feed = StreamFeed<State>(.bufferingNewest(1))
        /// The last state; nil until the folder has been read.
        var last: State?
        var readers = 0
        var task: Task<Void, Never>?
    }

    private struct Running {
        var transfers: [String: Transfer] = [:]
        /// The tasks of transfers that have lost their readers.
        ///
        /// Each is canceled, and may write until it ends.
        var ending: [Int: Task<Void, Never>] = [:]
        var lastID = 0
        var isClosed = false

        var tasks: [Task<Void, Never>] { transfers.values.compactMap(\.task) + ending.values }
    }

    /// The time limit of one request; of the longest range it needs 140 kbit a second.
    private static let timeLimit = Duration.seconds(60)

    private let folder: DownloadFolder
    private let world: World
    private let address: ServerAddress
    private let allowsPlainTransport: Bool
    private let running = Guarded(Running())

    init(_ world: World, _ folder: DownloadFolder, _ address: ServerAddress, _ allowsPlain: Bool) {
        self.world = world
        self.folder = folder
        self.address = address
        allowsPlainTransport = allowsPlain
    }

    /// Returns the states of an address's transfer from now on; the last one is `.ended`.
    func join(_ url: String) -> AsyncStream<State> {
        running.withLock { running in
            var transfer: Transfer
            if let found = running.transfers[url] {
                transfer = found
            } else {
                running.lastID += 1
                transfer = Transfer(id: running.lastID)
                if running.isClosed {
                    transfer.last = .ended(.failure(.clientClosed))
                    transfer.feed.finish()
                }
            }
            let id = transfer.id
            let states = transfer.feed.open(beginningWith: transfer.last) { [weak self] in
                self?.leave(url, id)
            }
            guard !running.isClosed else { return states }
            transfer.readers += 1
            if transfer.task == nil {
                transfer.task = Task(executorPreference: world.executor) {
                    let result = await Result { () async throws(RoostError) in
                        try await self.fetch(url) { self.publish($0, of: url, id) }
                    }
                    self.finish(result, of: url, id)
                }
            }
            running.transfers[url] = transfer
            return states
        }
    }

    /// Ends all transfers; their parts stay.
    func close() {
        let tasks = running.withLock { running in
            running.isClosed = true
            return running.tasks
        }
        for task in tasks { task.cancel() }
    }

    /// Ends all transfers, and returns when none of them writes any more.
    func cancelAll() async {
        let tasks = running.withLock { $0.tasks }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func leave(_ url: String, _ id: Int) {
        let task = running.withLock { running -> Task<Void, Never>? in
            guard let transfer = running.transfers[url], transfer.id == id else { return nil }
            running.transfers[url]?.readers -= 1
            guard transfer.readers <= 1 else { return nil }
            running.transfers[url] = nil
            running.ending[id] = transfer.task
            return transfer.task
        }
        task?.cancel()
    }

    /// Publishes a state of a transfer; only the task of the transfer calls this, so states keep
    /// their order.
    private func publish(_ state: State, of url: String, _ id: Int) {
        let feed = running.withLock { running -> StreamFeed<State>? in
            guard let transfer = running.transfers[url], transfer.id == id else { return nil }
            running.transfers[url]?.last = state
            return transfer.feed
        }
        // Behind the lock, which the cancellation of a reader takes (`StepDelivery`). A reader that
        // joins meanwhile may get the state twice.
        feed?.publish(state)
    }

    private func finish(
        _ result: Result<DownloadedCopy, RoostError>, of url: String, _ id: Int
    ) {
        let feed = running.withLock { running -> StreamFeed<State>? in
            running.ending[id] = nil
            guard let transfer = running.transfers[url], transfer.id == id else { return nil }
            running.transfers[url] = nil
            return transfer.feed
        }
        feed?.publish(.ended(result))
        feed?.finish()
    }

    // MARK: One transfer

    private func fetch(
        _ url: String, _ publish: (State) -> Void
    ) async throws(RoostError) -> DownloadedCopy {
        try check(url)
        let begun: DownloadFolder.State
        do { begun = try await folder.begin(url) } catch {
            await folder.end(url)
            throw RoostError(error)
        }
        let result = await Result { () async throws(RoostError) in
            try await receive(url, from: begun, publish)
        }
        await folder.end(url)
        return try result.get()
    }

    private func receive(
        _ url: String, from begun: DownloadFolder.State, _ publish: (State) -> Void
    ) async throws(RoostError) -> DownloadedCopy {
        var state = begun
        var fetch = FileFetch(limit: folder.limit, part: nil)
        while true {
            switch state {
            case .whole(let copy): return copy
            case .part(let part):
                fetch.note(part)
                publish(.receiving(part?.received ?? 0, total: part?.total))
            }
            let (step, body) = await ask(for: url, &fetch)
            guard !Task.isCancelled else { throw .downloadCanceled }
            switch step {
            case .fail(let error): throw error
            case .ask(let pause):
                state = .part(fetch.part)
                if pause > .zero {
                    do throws(CancellationError) { try await world.clock.sleep(for: pause) } catch {
                        throw .downloadCanceled
                    }
                }
            case .keep(let count, let part):
                state = try await write(
                    count == body.count ? body : Array(body.prefix(Int(count))), behind: part, url)
            case .keepRest(let part):
                state = try await write(
                    Array(body.dropFirst(Int(part.received))), behind: part, url)
            }
        }
    }

    private func write(
        _ bytes: [UInt8], behind part: FileFetch.Part, _ url: String
    ) async throws(RoostError) -> DownloadFolder.State {
        do { return try await folder.write(bytes, behind: part, of: url) } catch {
            throw RoostError(error)
        }
    }

    private func ask(
        for url: String, _ fetch: inout FileFetch
    ) async -> (FileFetch.Step, body: [UInt8]) {
        do {
            // Without the session key: the file may lie at any host.
            let response = try await world.http.send(
                HTTPRequest(url: url, headers: fetch.headers, timeLimit: Self.timeLimit))
            let isFile = [200, 206].contains(response.status)
            let answer = FileFetch.Answer(
                status: response.status, contentRange: response.header("Content-Range"),
                tag: response.header("ETag"), modified: response.header("Last-Modified"),
                byteCount: Int64(response.body.count))
            return (fetch.receive(answer), isFile ? response.body : [])
        } catch  where error.kind == .answerTooLarge {
            return (.fail(.unrangedFile), [])
        } catch {
            return (fetch.receive(RoostError(error)), [])
        }
    }

    /// Checks that an address may be asked.
    ///
    /// - Throws: `.invalidParameter` for a local file, and for plain http to another host than the
    ///   configured server, to which a message could lead any client.
    private func check(_ url: String) throws(RoostError) {
        if url.hasPrefix("https://") { return }
        if url.hasPrefix("http://"), allowsPlainTransport || url.hasPrefix(address.http + "/") {
            return
        }
        throw RoostError(
            .invalidParameter, remedy: .correctInput,
            message: "Files are downloaded with https, and with http from the client's own server "
                + "only. An unsent file is on this device already.")
    }
}

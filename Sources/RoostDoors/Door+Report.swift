// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

extension Door {
    /// A client and its observer.
    struct Opened: Sendable {
        let client: ChatClient
        let observer: ClientObserver
    }

    /// The state of the open client that the app may read at any time, on any thread.
    package struct Report: Sendable {
        package internal(set) var connection = ConnectionState.disconnected
        /// The time of the last login, on the device's clock; nil before the first.
        package internal(set) var lastConnected: Timestamp?
        /// The members who are typing, by channel.
        package internal(set) var typing: [ChannelURL: [User]] = [:]
        /// The number of the user's unread messages, as the server counts them.
        package internal(set) var unreadTotal = 0
        /// The facts of the last login; nil before the first.
        package internal(set) var login: LoginFacts?
    }
}

// MARK: - The connection

extension Door {
    /// Closes the connection; the user stays logged in, and the next call of `connect` goes on.
    package func disconnectSocket(then callback: Callback<Void>) {
        let current = presentClient()
        start {
            // Without a client there is no connection to close.
            if let opened = try? await current.opened() {
                await opened.client.disconnect()
                await opened.observer.report()
            }
            self.notify(callback, ())
        }
    }

    /// Connects the user again who was connected last; returns whether there is one.
    package func reconnect() -> Bool {
        guard account != nil, user != nil else { return false }
        let current = clientForCall()
        start {
            // The outcome goes to the delegates of the connection.
            if let client = try? await current.opened().client { try? await client.connect() }
        }
        return true
    }

    /// Tells the open client that the app has come to the foreground or gone to the background.
    package func appMoved(toForeground: Bool) {
        let current = presentClient()
        start {
            // Without a client there is no connection to keep or close.
            let client = try? await current.opened().client
            await client?.appMoved(toForeground: toForeground)
        }
        guard settings.isShared else { return }
        rest.appMoved(toForeground: toForeground, self)
    }

    /// Tells the open client that a network has come or gone.
    package func networkChanged(isUp: Bool) {
        let current = presentClient()
        start {
            // Without a client there is no connection to keep or close.
            let client = try? await current.opened().client
            await client?.networkChanged(isUp: isUp)
        }
    }
}

// MARK: - The open client

extension Door {
    /// Returns the open client.
    package func client() async throws(RoostError) -> ChatClient {
        try await clientForCall().opened().client
    }

    /// Returns the open client of a user; nil takes that of any user.
    ///
    /// - Throws: `.connectionCanceled` if another user has logged in meanwhile.
    func client(of account: UserID?) async throws(RoostError) -> ChatClient {
        try await opened(of: account).client
    }

    /// A closure that returns the client that is current now, whichever user logs in before it is
    /// called.
    package var capturedClient: @Sendable () async throws(RoostError) -> ChatClient {
        let current = clientForCall()
        return { () async throws(RoostError) in try await current.opened().client }
    }

    /// Calls the client and delivers the outcome, once, on the app's queue.
    package func perform<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Value
    ) {
        let current = clientForCall()
        start { await self.answer(callback, current, work) }
    }

    /// Calls the client when all messages that the app has sent before are saved.
    ///
    /// Later messages wait for the end of the call, and so does the login of another user.
    package func performInOrder<Value: Sendable>(
        then callback: Callback<Result<Value, RoostError>>,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Value
    ) {
        let current = clientForCall()
        sending.add(on: self) { await self.answer(callback, current, work) }
    }

    private func answer<Value: Sendable>(
        _ callback: Callback<Result<Value, RoostError>>, _ current: CurrentClient,
        _ work: @Sendable (ChatClient) async throws(RoostError) -> Value
    ) async {
        let result: Result<Value, RoostError>
        do throws(RoostError) {
            result = .success(try await work(try await current.opened().client))
        } catch {
            result = .failure(error)
        }
        notify(callback, result)
    }
}

// MARK: - Work

extension Door {
    /// Starts work on the client's executor, in the order of these calls.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        // The caller waits for the callback only, which ends every piece of work.
        Task(executorPreference: world.executor) { await work() }
    }

    /// Delivers a value to the app on its queue, where the app's objects are made.
    package func notify<Value: Sendable>(_ callback: Callback<Value>, _ value: Value) {
        callback.post(value, through: queue.async)
    }
}

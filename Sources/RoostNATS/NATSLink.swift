// SPDX-License-Identifier: Apache-2.0

internal import CRoostNATS
internal import RoostExecutors

/// The owner of the library's connection, on a thread of its own, because the library's calls
/// block.
///
/// - Invariant: the pointers are used on this actor only, and set to nil when freed. `@safe` rests
///   on that.
@safe actor NATSLink {
    /// A message on its way out.
    struct Outgoing: Sendable {
        let subject: String
        let bytes: [UInt8]
    }

    /// The messages that wait for this actor, with the count of the refused ones.
    struct Outbox: Sendable {
        var queue: BoundedQueue<Outgoing>
        var refused: UInt64 = 0
    }

    nonisolated let thread: ThreadExecutor
    nonisolated let outbox: Guarded<Outbox>
    private let settings: NATSSettings
    private let library: NATSLibrary
    private let mailbox: Mailbox
    private var connection: OpaquePointer?
    private var subscription: OpaquePointer?
    /// The number of the present connection among the open mailboxes.
    private var number: UInt = 0
    private var isClosed = false

    /// The time that the end of a connection may take; the library needs milliseconds.
    private static let endingTries = 2_000

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe thread.asUnownedSerialExecutor()
    }

    init(_ settings: NATSSettings, _ library: NATSLibrary, _ mailbox: Mailbox) {
        self.settings = settings
        self.library = library
        self.mailbox = mailbox
        thread = ThreadExecutor(name: "roost.bus")
        outbox = Guarded(Outbox(queue: BoundedQueue(settings.outgoingLimit)))
    }

    // MARK: Opening

    /// Connects and subscribes; blocks this actor's thread up to the time of the settings.
    ///
    /// - Parameter mayBeAway: Whether an unreachable bus is no error.
    /// - Throws: A sentence for the operator.
    func open(mayBeAway: Bool) throws(NATSError) {
        guard !isClosed else { throw .closed }
        guard !settings.addresses.isEmpty else {
            throw NATSError(
                .invalid, "The bus has no address; give one as nats://HOST:PORT in --bus.")
        }
        number = OpenMailboxes.add(mailbox, of: library)
        do throws(NATSError) {
            do throws(NATSError) {
                try connect(retries: false)
            } catch {
                guard mayBeAway, error.kind == .unreachable else { throw error }
                // The library would also retry a refused login, and then give up without a word.
                try connect(retries: true)
            }
            try subscribe()
        } catch {
            release()
            throw error
        }
    }

    private func connect(retries: Bool) throws(NATSError) {
        var options: OpaquePointer?
        // SAFETY: here and below: the library fills the pointers, which this actor alone frees. It
        // copies texts and options during its calls. The closure is a number and not followed.
        try check(unsafe library.createOptions(&options))
        defer { unsafe library.destroyOptions(options) }
        try unsafe setServers(options)
        try unsafe setTimes(options)
        try unsafe setCallbacks(options, retries: retries)
        var opened: OpaquePointer?
        let status = unsafe library.connect(&opened, options)
        unsafe connection = opened
        if status == ROOST_NATS_NOT_YET_CONNECTED, retries { return }
        try check(status)
        unsafe mailbox.setConnected(true, maxPayload: library.maxPayload(connection))
    }

    private func setServers(_ options: OpaquePointer?) throws(NATSError) {
        // SAFETY: the copies are freed after the call, which copies them again.
        var copies: [UnsafePointer<CChar>?] = unsafe settings.addresses.map { address in
            unsafe UnsafePointer(Self.copy(of: address))
        }
        defer { for index in unsafe copies.indices { unsafe copies[index]?.deallocate() } }
        try check(unsafe library.setServers(options, &copies, Int32(clamping: copies.count)))
        try check(unsafe library.setName(options, settings.name))
    }

    /// Returns a copy of a text as a C string, up to a NUL in it.
    private static func copy(of text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        // SAFETY: the memory has room for the bytes.
        for (index, byte) in bytes.enumerated() { unsafe copy[index] = byte }
        return unsafe copy
    }

    private func setTimes(_ options: OpaquePointer?) throws(NATSError) {
        let all = settings.connectTime.boundedMilliseconds
        let each = max(100, all / Int64(clamping: settings.addresses.count))
        try check(unsafe library.setTimeout(options, each))
        try check(
            unsafe library.setPingInterval(options, settings.pingInterval.boundedMilliseconds))
        try check(unsafe library.setMaxPingsOut(options, 2))
        try check(
            unsafe library.setWriteDeadline(options, settings.writeTime.boundedMilliseconds))
        try check(unsafe library.setMaxReconnect(options, -1))
        try check(
            unsafe library.setReconnectBuffer(
                options, Int32(clamping: max(1, settings.reconnectBytes))))
        // Without it the library waits a millisecond for more before it writes.
        try check(unsafe library.setSendAsap(options, true))
        try check(unsafe library.setNoEcho(options, true))
    }

    private func setCallbacks(_ options: OpaquePointer?, retries: Bool) throws(NATSError) {
        let closure = unsafe self.closure
        try check(unsafe library.setOnClosed(options, natsClosed, closure))
        try check(unsafe library.setOnDisconnected(options, natsDisconnected, closure))
        try check(unsafe library.setOnReconnected(options, natsReconnected, closure))
        try check(unsafe library.setOnError(options, natsFailed, closure))
        try check(unsafe library.setOnDelay(options, natsPause, closure))
        guard retries else { return }
        try check(unsafe library.setRetry(options, true, natsConnected, closure))
    }

    private var closure: UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: number)
    }

    private func subscribe() throws(NATSError) {
        // SAFETY: the connection lives until `release`; the library copies the subject.
        try check(
            unsafe library.subscribe(
                &subscription, connection, settings.subject, natsMessageArrived, closure))
        let limit = settings.pendingLimit
        try check(
            unsafe library.setPending(
                subscription, Int32(clamping: max(1, limit.count)),
                Int32(clamping: max(1, limit.bytes))))
        try check(unsafe library.setOnComplete(subscription, natsSubscriptionEnded, closure))
        // The server knows the subscription after a round trip, so the first message is not missed.
        guard mailbox.isConnected else { return }
        _ = unsafe library.flush(connection, settings.connectTime.boundedMilliseconds)
    }

    private func check(_ status: Int32) throws(NATSError) {
        guard status != ROOST_NATS_OK else { return }
        throw .connecting(status, to: settings.addresses)
    }

    // MARK: Sending

    /// Sends all waiting messages, in their order.
    func drain() {
        while let batch = outbox.withLock({ $0.queue.take() }) {
            for message in batch { send(message) }
        }
    }

    private func send(_ message: Outgoing) {
        var status = ROOST_NATS_NO_SERVER
        if unsafe connection != nil {
            // SAFETY: the library copies subject and bytes during the call.
            status = unsafe message.bytes.withUnsafeBytes { bytes in
                unsafe library.publish(
                    connection, message.subject, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
        guard status != ROOST_NATS_OK else { return }
        outbox.withLock { $0.refused &+= 1 }
        // A write that ran out of time may have sent a part, after which nothing can follow.
        if status == ROOST_NATS_TIMEOUT { reopen() }
    }

    /// Sends all waiting messages and waits until the server has read them.
    ///
    /// - Returns: Whether it answered in time.
    func flush(within time: Duration) -> Bool {
        drain()
        guard unsafe connection != nil else { return false }
        return unsafe library.flush(connection, time.boundedMilliseconds) == ROOST_NATS_OK
    }

    // MARK: Ending

    /// Opens another connection if the library has given up this one, as after two refused logins.
    func revive() {
        guard !isClosed else { return }
        if unsafe connection != nil, !(unsafe library.isClosed(connection)) { return }
        reopen()
    }

    private func reopen() {
        let wasConnected = mailbox.isConnected
        release()
        mailbox.setConnected(false)
        if wasConnected { mailbox.post(.disconnected) }
        // A refusal leaves no connection; the next call of `revive` tries again.
        guard (try? open(mayBeAway: true)) != nil, mailbox.isConnected else { return }
        mailbox.post(.reconnected)
    }

    /// Ends the connection for good and waits for the library's last callback.
    func close() {
        isClosed = true
        drain()
        outbox.withLock { $0.queue.close() }
        release()
        mailbox.close()
    }

    /// Frees the connection and the subscription, if there are any.
    private func release() {
        let (hadConnection, hadSubscription) = unsafe (connection != nil, subscription != nil)
        // SAFETY: both belong to this actor, and are forgotten with the calls that free them. The
        // library keeps what its own threads still use.
        if hadSubscription { unsafe library.destroySubscription(subscription) }
        if hadConnection { unsafe library.destroyConnection(connection) }
        unsafe (connection, subscription) = (nil, nil)
        if hadConnection {
            for _ in 0..<Self.endingTries {
                if OpenMailboxes.hasEnded(number, withSubscription: hadSubscription) { break }
                library.sleep(1)
            }
        }
        OpenMailboxes.remove(number)
    }
}

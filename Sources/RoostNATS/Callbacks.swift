// SPDX-License-Identifier: Apache-2.0

internal import CRoostNATS
internal import RoostExecutors

/// The mailboxes of the open connections, by number.
///
/// The library gets a number in place of a pointer. A callback that comes late finds no mailbox
/// under it and does nothing, so no order of endings inside the library can touch freed memory.
enum OpenMailboxes {
    private struct Entry {
        let mailbox: Mailbox
        var isClosed = false
        var isComplete = false
    }

    private struct State {
        var lastNumber: UInt = 0
        /// The library of the connections; all of them use the same one.
        var library: NATSLibrary?
        var entries: [UInt: Entry] = [:]
    }

    private static let state = Guarded(State())

    static func add(_ mailbox: Mailbox, of library: NATSLibrary) -> UInt {
        state.withLock { state in
            state.library = library
            state.lastNumber &+= 1
            state.entries[state.lastNumber] = Entry(mailbox: mailbox)
            return state.lastNumber
        }
    }

    static func remove(_ number: UInt) {
        state.withLock { _ = $0.entries.removeValue(forKey: number) }
    }

    static var library: NATSLibrary? { state.withLock { $0.library } }

    static subscript(_ number: UInt) -> Mailbox? { state.withLock { $0.entries[number]?.mailbox } }

    /// Whether the library has made its last callbacks for a number.
    static func hasEnded(_ number: UInt, withSubscription: Bool) -> Bool {
        state.withLock { state in
            guard let entry = state.entries[number] else { return true }
            return entry.isClosed && (entry.isComplete || !withSubscription)
        }
    }

    static func noteClosed(_ number: UInt) {
        state.withLock { $0.entries[number]?.isClosed = true }
    }

    static func noteComplete(_ number: UInt) {
        state.withLock { $0.entries[number]?.isComplete = true }
    }
}

// The library calls these on threads of its own. They belong to no actor, copy their arguments and
// return at once. The closure is a number of `OpenMailboxes` and is never followed.

private func number(_ closure: UnsafeMutableRawPointer?) -> UInt { UInt(bitPattern: closure) }

/// Hands a message over and frees it.
func natsMessageArrived(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ closure: UnsafeMutableRawPointer?
) {
    guard let library = OpenMailboxes.library else { return }
    // SAFETY: the message belongs to this function, which frees it once, at its end.
    defer { unsafe library.destroyMessage(message) }
    guard let mailbox = unsafe OpenMailboxes[number(closure)] else { return }
    let count = max(0, unsafe Int(library.messageLength(message)))
    let data = unsafe library.messageData(message)
    // SAFETY: the bytes live as long as the message, and are copied here.
    let bytes = unsafe [UInt8](
        UnsafeRawBufferPointer(start: data, count: unsafe data == nil ? 0 : count))
    mailbox.post(.message(bytes), bytes: bytes.count)
}

/// Notes the first connection after an opening without one.
func natsConnected(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    unsafe notePresence(connection, closure, .connected)
}

func natsReconnected(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    unsafe notePresence(connection, closure, .reconnected)
}

private func notePresence(
    _ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?, _ event: NATSEvent
) {
    guard let library = OpenMailboxes.library,
        let mailbox = unsafe OpenMailboxes[number(closure)]
    else { return }
    // SAFETY: the library keeps the connection during a callback.
    mailbox.setConnected(true, maxPayload: unsafe library.maxPayload(connection))
    mailbox.post(event)
}

func natsDisconnected(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let mailbox = unsafe OpenMailboxes[number(closure)] else { return }
    mailbox.setConnected(false)
    mailbox.post(.disconnected)
}

func natsClosed(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    let number = unsafe number(closure)
    guard let mailbox = OpenMailboxes[number] else { return }
    mailbox.setConnected(false)
    mailbox.post(.closed)
    OpenMailboxes.noteClosed(number)
}

func natsSubscriptionEnded(_ closure: UnsafeMutableRawPointer?) {
    unsafe OpenMailboxes.noteComplete(number(closure))
}

func natsFailed(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ status: Int32,
    _ closure: UnsafeMutableRawPointer?
) {
    guard let mailbox = unsafe OpenMailboxes[number(closure)] else { return }
    mailbox.post(status == ROOST_NATS_SLOW_CONSUMER ? .slowConsumer : .failure(code: status))
}

/// Returns the milliseconds before the next round over all addresses; they double up to a limit.
func natsPause(
    _ connection: OpaquePointer?, _ attempts: Int32, _ closure: UnsafeMutableRawPointer?
) -> Int64 {
    let longest = unsafe OpenMailboxes[number(closure)]?.longestPause ?? 1_000
    return min(longest, 50 << Int64(min(max(attempts, 1), 10)))
}

// SPDX-License-Identifier: Apache-2.0

internal import CRoostWebSocket

// wslay between two arrays: its receive callback consumes `input`, the bytes from the network, and
// its send callback fills `output`. It does no I/O, so tests can feed it byte by byte, and the
// connection decides when to read and write.

/// The frames of one connection: bytes in, messages out, and back; no I/O.
///
/// The codec answers pings, joins fragments, checks UTF-8, masking and sizes, and answers a close
/// or a violation with the right code. Not thread-safe; the owner confines it.
@safe package final class WebSocketCodec {
    package enum Role: Sendable { case client, server }

    package enum Event: Sendable, Hashable {
        case message(WebSocketMessage)
        /// The peer's close frame; `code` is nil if it had none. The answer is in the output.
        case closed(code: UInt16?, reason: String)
        /// The peer violated the protocol; the close frame with the code is in the output.
        case violation(code: UInt16)
    }

    private var context: wslay_event_context_ptr?
    private var input: [UInt8] = []
    private var inputOffset = 0
    private var output: [UInt8] = []
    private var events: [Event] = []
    private var hasEnded = false
    private var isInCloseFrame = false
    private var closePayload: [UInt8] = []
    /// The number of frames of the incomplete message.
    private var fragmentCount = 0
    /// The close code of a violation that this end has found and wslay has not.
    private var refusal: UInt16?
    private let role: Role
    private let messageBytes: Int
    private let deflate: WebSocketDeflate?
    /// The number of bytes inflated by the current call of `receive`.
    private var inflatedBytes = 0
    private let random: (Int) -> [UInt8]

    /// Creates one end.
    ///
    /// - Parameters:
    ///   - role: The role; clients mask their frames, and servers insist on it.
    ///   - messageBytes: The greatest size of an incoming message in bytes.
    ///   - deflate: The compressor, if both ends agreed on compression without context takeover.
    ///   - random: Returns this many unpredictable bytes, for a client's masks.
    package init(
        role: Role, messageBytes: Int, deflate: WebSocketDeflate? = nil,
        random: @escaping (Int) -> [UInt8]
    ) {
        self.role = role
        self.messageBytes = messageBytes
        self.deflate = deflate
        self.random = random
        var callbacks = wslay_event_callbacks()
        unsafe callbacks.recv_callback = { unsafe WebSocketCodec.receive($0, $1, $2, $4) }
        unsafe callbacks.send_callback = { unsafe WebSocketCodec.send($1, $2, $4) }
        unsafe callbacks.genmask_callback = { unsafe WebSocketCodec.mask($1, $2, $3) }
        unsafe callbacks.on_frame_recv_start_callback = {
            unsafe WebSocketCodec.frameBegan($1, $2)
        }
        unsafe callbacks.on_frame_recv_chunk_callback = {
            unsafe WebSocketCodec.frameGrew($1, $2)
        }
        unsafe callbacks.on_msg_recv_callback = { unsafe WebSocketCodec.received($1, $2) }
        // SAFETY: the context is freed in `deinit`, so it never outlives the reference; wslay
        // copies the table.
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        let result =
            switch role {
            case .client: unsafe wslay_event_context_client_init(&context, &callbacks, owner)
            case .server: unsafe wslay_event_context_server_init(&context, &callbacks, owner)
            }
        precondition(result == 0, "wslay is out of memory.")
        unsafe wslay_event_config_set_max_recv_msg_length(context, UInt64(messageBytes))
        if deflate != nil {
            unsafe wslay_event_config_set_allowed_rsv_bits(context, Self.deflatedBit)
        }
    }

    /// RSV1, which the first frame of a compressed message has.
    private static let deflatedBit: UInt8 = 4
    /// The greatest number of frames of one message; wslay keeps tens of bytes for each, whatever
    /// its size.
    private static let fragmentLimit = 1_024
    /// The size in bytes below which a message is not compressed.
    private static let deflateFrom = 256
    /// The bytes that one call of `receive` may inflate beyond one message of full size.
    ///
    /// One compressed byte can become a thousand, and a read of 64 KiB has many messages. Texts
    /// compressed one by one stay below a factor of 16.
    private static let inflatedBeyondOne = 16 * 65_536

    deinit {
        // SAFETY: made in `init`, freed once.
        unsafe wslay_event_context_free(context)
    }

    /// Processes bytes of the network and returns the complete events; take the output afterwards.
    ///
    /// After `closed` or `violation`, which is then the last event, bytes are ignored.
    package func receive(_ bytes: [UInt8]) -> [Event] {
        guard !hasEnded else { return [] }
        input = bytes
        inputOffset = 0
        inflatedBytes = 0
        // SAFETY: the context is open; its callbacks run inside this call.
        let hadClosed = unsafe wslay_event_get_close_sent(context) != 0
        let result = unsafe wslay_event_recv(context)
        flush()
        input = []
        defer { events = [] }
        if let refusal {
            hasEnded = true
            sendClose(code: refusal, reason: "")
            events.append(.violation(code: refusal))
        } else if unsafe wslay_event_get_close_received(context) != 0 {
            hasEnded = true
        } else if unsafe result != 0 || wslay_event_get_read_enabled(context) == 0 {
            hasEnded = true
            if hadClosed {
                // A second close frame is never sent, so there is none to correct.
                events.append(.violation(code: WebSocketCloseCode.protocolError.rawValue))
            } else {
                events.append(endAfterRefusal(isFrameError: result != 0))
            }
        }
        return events
    }

    /// Returns the event if wslay stops reading without a close frame.
    private func endAfterRefusal(isFrameError: Bool) -> Event {
        let code = unsafe wslay_event_get_status_code_sent(context)
        if isFrameError {
            // wslay's close frame is empty if the fault is in a frame's header.
            replaceClose(bytes: 0, code: WebSocketCloseCode.protocolError.rawValue)
            return .violation(code: WebSocketCloseCode.protocolError.rawValue)
        }
        // wslay 1.1 refuses the codes 1012 to 1014, which were registered later.
        if code == WebSocketCloseCode.protocolError.rawValue, closePayload.count >= 2 {
            let theirs = UInt16(closePayload[0]) << 8 | UInt16(closePayload[1])
            if 1012...1014 ~= theirs {
                replaceClose(bytes: 2, code: theirs)
                let reason = String(decoding: closePayload.dropFirst(2), as: UTF8.self)
                return .closed(code: theirs, reason: reason)
            }
        }
        return .violation(code: code)
    }

    /// Replaces the close frame at the end of the output.
    private func replaceClose(bytes: Int, code: UInt16) {
        let mask = role == .client ? random(4) : []
        output.removeLast(2 + mask.count + bytes)
        output += [0x88, (mask.isEmpty ? 0 : 0x80) | 2] + mask
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        output += payload.enumerated().map {
            mask.isEmpty ? $0.element : $0.element ^ mask[$0.offset]
        }
    }

    /// Frames a message; returns false after a close frame, when nothing more can be sent.
    package func send(_ message: WebSocketMessage) -> Bool {
        if let deflate, message.byteCount >= Self.deflateFrom {
            let (opcode, bytes) =
                switch message {
                case .text(let text): (WSLAY_TEXT_FRAME, Array(text.utf8))
                case .binary(let bytes): (WSLAY_BINARY_FRAME, bytes)
                }
            if let smaller = deflate.deflate(bytes) {
                return queue(opcode, smaller, isDeflated: true)
            }
        }
        switch message {
        case .text(var text): return queue(WSLAY_TEXT_FRAME, &text)
        case .binary(let bytes): return queue(WSLAY_BINARY_FRAME, bytes)
        }
    }

    /// Appends a ping to the output, which the peer answers by itself; without effect after a close.
    package func sendPing() { _ = queue(WSLAY_PING, []) }

    private func queue(
        _ opcode: wslay_opcode, _ bytes: [UInt8], isDeflated: Bool = false
    ) -> Bool {
        // SAFETY: the array is valid during the call, which copies it.
        unsafe bytes.withUnsafeBufferPointer { unsafe queue(opcode, $0, isDeflated: isDeflated) }
    }

    private func queue(_ opcode: wslay_opcode, _ text: inout String) -> Bool {
        // SAFETY: the text is valid during the call, which copies it.
        text.withUTF8 { unsafe queue(opcode, $0) }
    }

    private func queue(
        _ opcode: wslay_opcode, _ bytes: UnsafeBufferPointer<UInt8>, isDeflated: Bool = false
    ) -> Bool {
        // A server's frames have no mask, so they are built here: wslay would copy each of them
        // twice. wslay has no partial output of its own, because `output` takes everything.
        if role == .server {
            guard unsafe wslay_event_get_write_enabled(context) != 0,
                unsafe wslay_event_get_close_sent(context) == 0
            else { return false }
            unsafe append(0x80 | (isDeflated ? 0x40 : 0) | UInt8(opcode.rawValue), bytes)
            return true
        }
        var message = unsafe wslay_event_msg(
            opcode: UInt8(opcode.rawValue), msg: bytes.baseAddress, msg_length: bytes.count)
        let result = unsafe wslay_event_queue_msg_ex(
            context, &message, isDeflated ? Self.deflatedBit : 0)
        flush()
        return result == 0
    }

    private func append(_ head: UInt8, _ payload: UnsafeBufferPointer<UInt8>) {
        let count = payload.count
        output.reserveCapacity(output.count + count + 10)
        output.append(head)
        let (marker, width): (UInt8, Int) =
            count < 126 ? (UInt8(count), 0) : count < 65_536 ? (126, 2) : (127, 8)
        output.append(marker)
        for place in (0..<width).reversed() {
            output.append(UInt8(truncatingIfNeeded: count >> (8 * place)))
        }
        // SAFETY: the bytes are valid during the call, which copies them.
        unsafe output.append(contentsOf: payload)
    }

    /// Frames a close; a second call is ignored.
    ///
    /// - Parameters:
    ///   - code: A code that is allowed in a frame: not 1005, 1006 or 1015.
    ///   - reason: Cut to 123 bytes of whole characters, the room in a control frame.
    package func sendClose(code: UInt16, reason: String) {
        var fitting = ""
        for character in reason {
            guard fitting.utf8.count + character.utf8.count <= 123 else { break }
            fitting.append(character)
        }
        // SAFETY: the text is valid during the call, which copies it.
        fitting.withUTF8 {
            _ = unsafe wslay_event_queue_close(context, code, $0.baseAddress, $0.count)
        }
        flush()
    }

    /// Returns and removes the bytes for the network.
    package func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private func flush() {
        // SAFETY: the context is open; its callbacks run inside this call.
        let result = unsafe wslay_event_send(context)
        precondition(result == 0, "wslay could not frame a message: \(result).")
    }
}

// MARK: The trampolines: C memory becomes values before they return

extension WebSocketCodec {
    private static func codec(_ owner: UnsafeMutableRawPointer?) -> WebSocketCodec {
        guard let owner = unsafe owner else { preconditionFailure("wslay has lost its owner.") }
        // SAFETY: callbacks run inside calls of the owner only, which is therefore alive.
        return unsafe Unmanaged<WebSocketCodec>.fromOpaque(owner).takeUnretainedValue()
    }

    private static func receive(
        _ context: wslay_event_context_ptr?, _ buffer: UnsafeMutablePointer<UInt8>?, _ room: Int,
        _ owner: UnsafeMutableRawPointer?
    ) -> Int {
        let codec = unsafe codec(owner)
        let count = min(room, codec.input.count - codec.inputOffset)
        guard count > 0, let buffer = unsafe buffer else {
            unsafe wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
            return -1
        }
        // SAFETY: wslay gives `room` bytes, and `count` is no greater; the offset stays inside the
        // input.
        unsafe codec.input.withUnsafeBufferPointer { input in
            guard let start = input.baseAddress else { return }
            unsafe buffer.update(from: start + codec.inputOffset, count: count)
        }
        codec.inputOffset += count
        return count
    }

    private static func send(
        _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ owner: UnsafeMutableRawPointer?
    ) -> Int {
        // SAFETY: the `count` bytes are valid during the call.
        unsafe codec(owner).output.append(
            contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return count
    }

    private static func mask(
        _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int, _ owner: UnsafeMutableRawPointer?
    ) -> CInt {
        let bytes = unsafe codec(owner).random(count)
        // SAFETY: wslay gives `count` bytes, and the generator made as many.
        for (index, byte) in bytes.prefix(count).enumerated() { unsafe buffer?[index] = byte }
        return 0
    }

    private static func frameBegan(
        _ argument: UnsafePointer<wslay_event_on_frame_recv_start_arg>?,
        _ owner: UnsafeMutableRawPointer?
    ) {
        guard let opcode = unsafe argument?.pointee.opcode else { return }
        let codec = unsafe codec(owner)
        codec.isInCloseFrame = opcode == UInt8(WSLAY_CONNECTION_CLOSE.rawValue)
        switch UInt32(opcode) {
        case WSLAY_TEXT_FRAME.rawValue, WSLAY_BINARY_FRAME.rawValue: codec.fragmentCount = 1
        case WSLAY_CONTINUATION_FRAME.rawValue: codec.fragmentCount += 1
        default: return
        }
        if codec.fragmentCount > fragmentLimit {
            codec.refusal = WebSocketCloseCode.messageTooBig.rawValue
        }
    }

    private static func frameGrew(
        _ argument: UnsafePointer<wslay_event_on_frame_recv_chunk_arg>?,
        _ owner: UnsafeMutableRawPointer?
    ) {
        let codec = unsafe codec(owner)
        guard codec.isInCloseFrame, let chunk = unsafe argument?.pointee else { return }
        // SAFETY: the bytes are valid during the call; a close frame has at most 125.
        unsafe codec.closePayload.append(
            contentsOf: UnsafeBufferPointer(start: chunk.data, count: chunk.data_length))
    }

    private static func received(
        _ argument: UnsafePointer<wslay_event_on_msg_recv_arg>?, _ owner: UnsafeMutableRawPointer?
    ) {
        guard let argument = unsafe argument?.pointee else { return }
        // SAFETY: the bytes are valid during the call and copied here. The text was checked.
        let bytes = unsafe UnsafeBufferPointer(start: argument.msg, count: argument.msg_length)
        let codec = unsafe codec(owner)
        guard codec.refusal == nil else { return }
        if let deflate = codec.deflate, unsafe argument.rsv & deflatedBit != 0 {
            let isText = unsafe UInt32(argument.opcode) == WSLAY_TEXT_FRAME.rawValue
            return unsafe codec.inflate(Array(bytes), isText: isText, deflate)
        }
        switch unsafe UInt32(argument.opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            unsafe codec.events.append(.message(.text(String(decoding: bytes, as: UTF8.self))))
        case WSLAY_BINARY_FRAME.rawValue:
            unsafe codec.events.append(.message(.binary(Array(bytes))))
        case WSLAY_CONNECTION_CLOSE.rawValue:
            let code = unsafe argument.status_code
            let reason = unsafe String(decoding: bytes.dropFirst(2), as: UTF8.self)
            codec.events.append(.closed(code: code == 0 ? nil : code, reason: reason))
        default: return  // wslay answers pings by itself, and a pong needs no answer.
        }
    }

    /// Adds a message that arrived compressed, whose text wslay cannot have checked.
    private func inflate(_ bytes: [UInt8], isText: Bool, _ deflate: WebSocketDeflate) {
        do throws(WebSocketDeflate.Failure) {
            let rest = messageBytes + Self.inflatedBeyondOne - inflatedBytes
            let message = try deflate.inflate(bytes, limit: min(messageBytes, rest))
            inflatedBytes += message.count
            guard isText else { return events.append(.message(.binary(message))) }
            guard let text = String(validating: message, as: UTF8.self) else {
                refusal = WebSocketCloseCode.invalidText.rawValue
                return
            }
            events.append(.message(.text(text)))
        } catch {
            let code: WebSocketCloseCode =
                switch error {
                case .malformed: .invalidText
                case .tooLarge: .messageTooBig
                }
            refusal = code.rawValue
        }
    }
}

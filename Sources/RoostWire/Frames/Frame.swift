// SPDX-License-Identifier: Apache-2.0

/// One command on the socket: four letters and a JSON object (`docs/protocol` 2.2).
package struct Frame: Sendable {
    /// The four letters; the set is open, and unknown commands are ignored.
    package struct Command: RawRepresentable, Hashable, Codable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package init(_ rawValue: String) { self.rawValue = rawValue }
    }

    package let command: Command
    /// The text message that the command came in, with others perhaps; offsets in errors count from
    /// its start.
    let bytes: [UInt8]
    /// The range of the command's object in the bytes.
    let payload: Range<Int>
    /// The nesting depth beyond which the object is refused.
    var depth = JSONReader.depthLimit

    /// The number of bytes of the object.
    package var byteCount: Int { payload.count }

    /// Splits a text message into its commands, one a line.
    ///
    /// A part that is no command becomes an error in its place; its neighbours are not affected.
    /// Empty parts are left out, and a missing object counts as an empty one. Lines beyond the limit
    /// are not looked at.
    package static func split(
        _ text: String, atMost limit: Int = .max
    ) -> [Result<Frame, WireError>] {
        let bytes = Array(text.utf8)
        var frames: [Result<Frame, WireError>] = []
        var (start, lines) = (0, 0)
        while start < bytes.count, lines < limit {
            lines += 1
            let end =
                bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let part = start..<end
            start = end + 1
            if bytes[part].allSatisfy({ $0 <= 0x20 }) { continue }
            frames.append(Result { () throws(WireError) in try parse(bytes, part) })
        }
        return frames
    }

    private static func parse(_ bytes: [UInt8], _ part: Range<Int>) throws(WireError) -> Frame {
        let letters = bytes[part].prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard letters.count == 4 else {
            throw WireError(
                .malformed, offset: part.lowerBound,
                message: "A command begins with four capital letters.")
        }
        let command = Command(String(decoding: letters, as: UTF8.self))
        return Frame(command: command, bytes: bytes, payload: letters.endIndex..<part.upperBound)
    }

    /// Reads the fields of the object one by one.
    func readFields(
        _ body: (String, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        guard bytes[payload].contains(where: { $0 > 0x20 }) else { return }
        var reader = JSONReader(checked: bytes, range: payload)
        reader.depthBound = depth
        try reader.readObject(body)
        try reader.finish()
    }

    /// Reads the fields of the object, with known names as cases; other names come as nil.
    func readKnownFields<Field: FieldName>(
        _: Field.Type, _ body: (Field?, FieldText, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        guard bytes[payload].contains(where: { $0 > 0x20 }) else { return }
        var reader = JSONReader(checked: bytes, range: payload)
        reader.depthBound = depth
        try reader.readFields(Field.self, body)
        try reader.finish()
    }

    /// Returns a command as a line of text.
    ///
    /// - Parameters:
    ///   - command: The kind of frame.
    ///   - isOpen: Whether the fields concern an open channel.
    ///   - body: Writes the fields of the object.
    /// - Returns: The line, with its line break.
    package static func text(
        _ command: Command, isOpen: Bool = false, _ body: (inout JSONWriter) -> Void
    ) -> String {
        var writer = JSONWriter(behind: command.rawValue)
        writer.isAboutOpenChannel = isOpen
        writer.object(body)
        writer.endLine()
        return writer.text
    }
}

// The commands that Roost knows; `docs/protocol` 2.2 lists them by direction.
extension Frame.Command {
    package static let login = Self("LOGI")
    package static let ping = Self("PING")
    package static let pong = Self("PONG")
    package static let userMessage = Self("MESG")
    package static let fileMessage = Self("FILE")
    package static let adminMessage = Self("ADMM")
    package static let broadcastMessage = Self("BRDM")
    package static let userMessageEdit = Self("MEDI")
    package static let fileMessageEdit = Self("FEDI")
    package static let adminMessageEdit = Self("AEDI")
    package static let deletion = Self("DELM")
    package static let read = Self("READ")
    package static let delivered = Self("DLVR")
    package static let messageAcknowledgement = Self("MACK")
    package static let typingStart = Self("TPST")
    package static let typingEnd = Self("TPEN")
    package static let channelEvent = Self("SYEV")
    package static let userEvent = Self("USEV")
    package static let error = Self("EROR")
    package static let busy = Self("BUSY")
    package static let expiring = Self("EXPR")
    package static let memberCounts = Self("MCNT")
    package static let reaction = Self("MRCT")
    package static let thread = Self("MTHD")
    package static let enter = Self("ENTR")
    package static let exit = Self("EXIT")
    package static let vote = Self("VOTE")
    package static let pollEdit = Self("PEDI")
}

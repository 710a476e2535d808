// SPDX-License-Identifier: Apache-2.0

// MARK: Bodies that their handler reads while they arrive

extension HTTPConnection {
    /// Lets the handler answer a request and read its body.
    func answerReading(_ head: HTTPServerRequest) async -> Answer? {
        bodyStage = .ahead
        let body = HTTPRequestBody { [weak self] () async throws(SocketError) in
            guard let self else { throw Self.bodyCut }
            return try await nextPiece()
        }
        let response = await handler.respond(to: head, reading: body)
        // A client that waits for permission keeps its body, which the handler does not want. It
        // may still send it, so the connection ends with the answer.
        guard !parser.owesContinue else { return write(response, to: head, isLast: true) }
        do throws(SocketError) {
            // Many clients look for an answer only after their whole request.
            while try await nextPiece() != nil {}
        } catch {
            return nil
        }
        return write(response, to: head)
    }

    private func nextPiece() async throws(SocketError) -> [UInt8]? {
        guard bodyStage == .ahead else {
            guard bodyStage == .read else { throw Self.bodyCut }
            return nil
        }
        switch await nextEvent() {
        case .piece(let bytes): return bytes
        case .end:
            bodyStage = .read
            return nil
        default:
            bodyStage = .cut
            throw Self.bodyCut
        }
    }

    private static let bodyCut = SocketError(
        .connectionLost, "The client disconnected before the end of its request.")
}

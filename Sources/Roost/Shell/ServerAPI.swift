// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
package import RoostTransport
import RoostWire

/// Calls the server's REST interface; neither retries nor caches.
package struct ServerAPI: Sendable {
    /// The time limit of one call, from its beginning to the last byte of its answer.
    ///
    /// A caller of the app waits for at most one such call, so a failure is reported within ten
    /// seconds.
    static let timeLimit = Duration.seconds(8)

    /// The time limit of an upload without progress, and of its answer.
    static let uploadPause = Duration.seconds(60)

    let http: any HTTPTransport
    let address: ServerAddress

    package init(http: any HTTPTransport, address: ServerAddress) {
        self.http = http
        self.address = address
    }

    /// Makes one call as the owner of a session key; away from the caller's actor, which may be the
    /// main actor, because a long answer takes time to decode (scar 139).
    @concurrent
    func call<Call: Question>(
        _ call: Call, sessionKey: String
    ) async throws(RoostError) -> Call.Output {
        let request = call.encode()
        let response: HTTPResponse
        do {
            response = try await http.send(
                HTTPRequest(
                    method: request.method.rawValue, url: address.http + request.target,
                    headers: [
                        (name: "Session-Key", value: sessionKey),
                        (name: "Accept", value: "application/json"),
                        (name: "Content-Type", value: "application/json"),
                    ],
                    body: request.body.isEmpty ? nil : request.body, timeLimit: Self.timeLimit))
        } catch {
            throw RoostError(error)
        }
        do {
            return try Call.decode(APIResponse(status: response.status, body: response.body))
        } catch {
            throw RoostError(error, to: request)
        }
    }

    /// Uploads a file as the owner of a session key, however long that takes; `note` gets the
    /// number of bytes of each piece of the file.
    ///
    /// The error is `.invalidParameter` if the file cannot be read to its end.
    func upload(
        _ upload: UploadFile, from reader: AttachmentReader, sessionKey: String,
        note: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(RoostError) -> UploadFile.Output {
        let response: HTTPResponse
        let body = HTTPBody(of: upload, from: reader, note: note)
        do {
            response = try await http.upload(
                HTTPRequest(
                    method: "POST", url: address.http + upload.encode().target,
                    headers: [
                        (name: "Session-Key", value: sessionKey),
                        (name: "Accept", value: "application/json"),
                        (name: "Content-Type", value: upload.contentType),
                    ],
                    timeLimit: Self.uploadPause), body)
        } catch {
            // The transport reports a lost connection, after which the upload would be repeated.
            guard reader.hasFailed else { throw RoostError(error) }
            throw RoostError(StoreError(changed: upload.name))
        }
        do {
            return try UploadFile.decode(APIResponse(status: response.status, body: response.body))
        } catch {
            throw RoostError(error)
        }
    }
}

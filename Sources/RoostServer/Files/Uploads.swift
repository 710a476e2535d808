// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The files that users upload.
///
/// The URL of a file is the permission to read it. Its name has 160 random bits and is known to the
/// readers of its message, so views that send no headers can show the file.
struct Uploads: ServerPart {
    let context: ServerContext
    let logins: Logins
    let rates: RequestRates

    /// Returns the receiver of a call's form; nil if the server keeps no files.
    ///
    /// A caller without the right to call gets the refusal after the whole form, because many
    /// clients read no answer earlier. Files of refused callers are not written. The call counts
    /// towards the user's rate, its form does not.
    func receiver(
        of request: APIRequest, headers: RequestHeaders
    ) async -> FormReceiver? {
        guard let files = context.files else { return nil }
        var refusal: ServerError?
        do throws(ServerError) {
            let caller = try await logins.identify(headers)
            try rates.check(user: caller.userID, address: headers.peer)
        } catch {
            refusal = error
        }
        return FormReceiver(
            contentType: request.contentType, files: files, refusal: refusal,
            fileLimitMB: configuration.fileLimitMB, textLimit: configuration.limits.bodyBytes
        ) { [context] in ServerWorld.hex(digits: 40, from: context.world.entropy) }
    }

    /// Reads a form that came in one piece.
    func receiveForm(
        of request: APIRequest, _ headers: RequestHeaders
    ) async -> Result<ReceivedForm, ServerError> {
        guard let receiver = await receiver(of: request, headers: headers) else {
            return .failure(Self.noFiles)
        }
        await receiver.receive(request.body)
        return await receiver.finish()
    }

    static let noFiles = ServerError(
        .featureUnavailable,
        "This server keeps no files: a server on a database does with the option --files.")

    /// Keeps the file of a form and answers with its URL.
    func upload(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        guard let file = call.fields.file("file") else {
            throw ServerError(.parameterMissing, "The part “file” with a file name is missing.")
        }
        let url = try await keep(file, of: call.caller, at: call.address)
        return APIResponse { writer in
            writer.field("url", url)
            writer.array("thumbnails") { _ in }
            writer.field("require_auth", false)
            writer.field("file_size", file.byteCount)
        }
    }

    /// Keeps a file of a form and counts it among the user's files; other files end with their call.
    ///
    /// - Returns: Its URL.
    func keep(
        _ file: ReceivedForm.File, of caller: APICaller, at address: String
    ) async throws(ServerError) -> String {
        guard let files = context.files else { throw Self.noFiles }
        try await count(file, of: caller, by: 1)
        do throws(ServerError) {
            try await ask(try await files.keep(file.id))
        } catch {
            try await count(file, of: caller, by: -1)
            throw error
        }
        let name = PercentEncoding.encode(String(file.fileName.prefix(100)))
        return "\(address)/files/\(file.id)/\(name)"
    }

    /// Removes a kept file of a call that failed.
    func remove(_ file: ReceivedForm.File, of caller: APICaller) async {
        await context.files?.remove(file.id)
        // The storage failed and the reason is in the log; the file stays counted.
        try? await count(file, of: caller, by: -1)
    }

    /// Adds a file to the files of a user, or takes it away; the platform's files are not counted.
    private func count(
        _ file: ReceivedForm.File, of caller: APICaller, by sign: Int
    ) async throws(ServerError) {
        guard let id = caller.userID else { return }
        try await changeUser(id) { record in
            record.traits.uploadedFiles = max(0, record.traits.uploadedFiles + sign)
            let bytes = Int64(sign * file.byteCount)
            record.traits.uploadedBytes = max(0, record.traits.uploadedBytes.addingSaturated(bytes))
        }
    }

    /// Returns the address of the server for a client, as the beginning of a URL.
    func address(_ host: String?) -> String {
        let scheme = configuration.isEncrypted ? "https" : "http"
        return configuration.publicAddress ?? "\(scheme)://\(host ?? "localhost")"
    }

    /// Keeps the picture in a form about a user or a channel.
    ///
    /// - Returns: The call with the picture's URL in place of the file (`docs/protocol` 3.0), and
    ///   the kept file.
    func keepPictures(
        of request: APIRequest, by caller: APICaller, at host: String?
    ) async throws(ServerError) -> (call: APIRequest, picture: ReceivedForm.File?) {
        let path = request.path.drop { $0 == "sdk" }
        guard case .success(var form)? = request.form, path.count <= 2, let place = path.first,
            ["users", "group_channels", "open_channels"].contains(place)
        else { return (request, nil) }
        let kind = place == "users" ? "profile" : "cover"
        guard let file = form.files.first(where: { $0.part == kind + "_file" }) else {
            return (request, nil)
        }
        let url = try await keep(file, of: caller, at: address(host))
        form.texts.removeAll { $0.name == kind + "_url" }
        form.texts.append(QueryItem(kind + "_url", url))
        var call = request
        call.form = .success(form)
        return (call, file)
    }

    /// Returns a file by its path, with its name in the store; nil if the path names none.
    ///
    /// A file needs no credentials, so the call counts towards the rate of its network address.
    ///
    /// - Throws: `.rateLimited`, or another error if the store cannot read the file now.
    func file(
        at path: String, from address: String?
    ) async throws(ServerError) -> (id: String, file: StoredFile)? {
        try rates.charge(address: address)
        let segments = path.split(separator: "/")
        // Only names of the server's form reach the disk, so no path leads out of the folder.
        guard let files = context.files, segments.count == 3, segments[0] == "files",
            segments[1].count == 40,
            segments[1].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        let id = String(segments[1])
        return try await ask(try await files.file(id)).map { (id, $0) }
    }
}

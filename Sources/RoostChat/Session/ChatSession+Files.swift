// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension ChatSession {
    /// Fetches a file of a message and saves a copy under a free name.
    func save(_ file: FileContent) async {
        do {
            for try await step in client.download(file) {
                switch step {
                case .progress(let received, let total):
                    let state = FileState.loading(received: received.bytes, total: total?.bytes)
                    send(.file(address: file.url, state))
                case .finished(let downloaded):
                    let path = try await copy(downloaded, named: file.name)
                    send(.file(address: file.url, .saved(path)))
                }
            }
        } catch {
            let reason = (error as? RoostError)?.message ?? error.localizedDescription
            send(.file(address: file.url, .failed(reason)))
        }
    }

    private func copy(_ downloaded: DownloadedFile, named name: String) async throws -> String {
        try await SavedName.save(name, in: folder) { [client] target in
            try await client.copy(downloaded, to: target)
        }
    }

    /// Sends a file of this machine; the client keeps a copy until it has arrived.
    func sendFile(
        _ path: String, to channel: ChannelURL, _ thread: MessageID?
    ) async throws(RoostError) {
        let full = path.hasPrefix("~/") ? NSHomeDirectory() + path.dropFirst(1) : path
        let url = URL(fileURLWithPath: full)
        // A device has no end, and a pipe may have no writer. The attributes of a link are its own.
        let target = url.resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            let reason = attributes == nil ? "there is no file \(path)" : "\(path) is no file"
            send(.fileRefused(path: path, reason: reason))
            return
        }
        let file = OutgoingFile(.copy(ofFileAt: url), name: url.lastPathComponent)
        do throws(RoostError) {
            try await client.send(FileMessageParams(files: [file], parentID: thread), to: channel)
        } catch {
            guard error.code == .invalidParameter else { throw error }
            send(.fileRefused(path: path, reason: error.message))
        }
    }
}

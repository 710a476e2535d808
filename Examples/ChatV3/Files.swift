// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK

/// Files as messages.
///
/// `file PATH`, `files`.
final class Files {
    private let screen: Screen
    private let chat: Chat

    init(_ chat: Chat, _ screen: Screen) {
        (self.chat, self.screen) = (chat, screen)
        screen.on("file", send)
        screen.on("files") { _ in self.list() }
    }

    private func send(_ path: String) {
        let url = URL(fileURLWithPath: path)
        guard let data = try? Data(contentsOf: url), let params = SBDFileMessageParams(file: data)
        else { return screen.done("no file \(path)") }
        params.fileName = url.lastPathComponent
        params.mimeType = "image/png"
        params.fileSize = UInt(data.count)
        params.thumbnailSizes =
            [SBDThumbnailSize.make(withMaxWidth: 320, maxHeight: 320)] as? [SBDThumbnailSize]
        chat.channel?.sendFileMessage(
            with: params,
            progressHandler: { sent, total, expected in
                self.screen.show("uploaded", "\(total) of \(expected)")
            },
            completionHandler: { message, error in
                self.screen.done("sent file", message?.name ?? "", error: error)
            })
    }

    private func list() {
        for file in chat.shown.compactMap({ $0 as? SBDFileMessage }) {
            let thumbnails = file.thumbnails?.count ?? 0
            screen.show(file.name, "\(file.size)", file.type, "\(thumbnails) thumbnails", file.url)
        }
        screen.next()
    }
}

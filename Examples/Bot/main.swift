// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

// A bot that answers every “ping”, also those that were written while it was stopped. Stop it at
// any moment, and start it again in the same folder.

/// Writes a line at once; `print` would keep it for a pipe until there are more.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

let bot = try await ChatClient.open(
    Configuration(
        applicationID: "demo", server: "http://127.0.0.1:8080", userID: "bot",
        cache: .folder("bot")))
do {
    try await bot.connect()
} catch {
    guard error.remedy == .retry else { throw error }  // It goes on trying by itself.
}
let inbox = try await bot.inbox("pings")
say("ready")
for try await item in inbox {
    if item.message.text == "ping" {
        // A repetition after a crash is the same answer, and the server takes it once.
        try await item.answer("pong")
        say("answered \(item.message.sender?.user.id.rawValue ?? "nobody")")
    }
    try await item.acknowledge()
}

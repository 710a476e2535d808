// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import SwiftUI

@main
struct ChatApp: App {
    @State private var client: ChatClient?
    @State private var problem = "Opening the chat…"

    var body: some Scene {
        WindowGroup {
            if client != nil {
                Text("The chat is open.")
            } else {
                Text(problem).task { await open() }
            }
        }
    }

    private func open() async {
        do {
            let folder = URL.applicationSupportDirectory.appending(path: "chat")
            let settings = Configuration(
                applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice",
                cache: .folder(at: folder))
            let client = try await ChatClient.open(settings)
            self.client = client
            try? await client.connect()  // The chat works without it.
        } catch {
            problem = error.words
        }
    }
}

extension RoostError {
    /// Words for people; `message` is for developers and logs.
    var words: String {
        switch remedy {
        case .retry: "That does not work right now. Try again later."
        case .signIn: "Please sign in again."
        case .repairStorage: "The chat cannot use the storage of this device."
        case .correctInput, .none: "That did not work (\(code))."
        }
    }
}

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
            if let client {
                ChannelsScreen(client)
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
            try await client.connect()
        } catch {
            problem = error.message
        }
    }
}

struct ChannelsScreen: View {
    @State private var model: ChannelListModel

    init(_ client: ChatClient) {
        _model = State(initialValue: ChannelListModel(client))
    }

    var body: some View {
        NavigationStack {
            List {
                ForEach(model.channels) { channel in
                    Text(channel.name.isEmpty ? "Chat" : channel.name)
                }
                if model.hasMore {
                    ProgressView().task(id: model.channels.count) { await model.loadMore() }
                }
                if let error = model.error {
                    Text(error.message)
                }
            }
            .navigationTitle(model.connection?.name ?? "offline")
        }
        .task { await model.run() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import SendbirdChatSDK

/// A connected user of the v4 door with messages on their way.
final class V4 {
    private var collection: MessageCollection?

    init(_ run: Run) async throws {
        let params = InitParams(applicationId: "demo", isLocalCachingEnabled: true)
        params.server = run.server
        params.cacheFolder = "\(run.folder)/cache"
        SendbirdChat.initialize(params: params)
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            SendbirdChat.connect(userId: "v4") { user, error in
                guard error == nil else { return done.resume(throwing: EndActor.NoServer()) }
                self.open(run, done)
            }
        }
    }

    private func open(_ run: Run, _ done: CheckedContinuation<Void, any Error>) {
        GroupChannel.createChannel(params: GroupChannelCreateParams()) { channel, error in
            guard let channel else { return done.resume(throwing: EndActor.NoServer()) }
            self.collection = SendbirdChat.createMessageCollection(channel: channel)
            self.collection?.startCollection(initPolicy: .cacheAndReplaceByApi)
            for number in 0..<run.sends { channel.sendUserMessage("Message \(number)") }
            done.resume()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import SendBirdSDK
import SendBirdSyncManager

/// A connected user of the v3 door and its sync manager with messages on their way.
final class V3 {
    private var collection: SBSMMessageCollection?

    init(_ run: Run) async throws {
        SBDMain.initWithApplicationId("demo")
        SBDMain.setServer(run.server)
        SBDMain.setCacheFolder("\(run.folder)/cache")
        SBSMSyncManager.setup(withUserId: "v3")
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            SBDMain.connect(withUserId: "v3") { user, error in
                guard error == nil else { return done.resume(throwing: EndActor.NoServer()) }
                SBSMSyncManager().resumeSynchronize()
                self.open(run, done)
            }
        }
    }

    private func open(_ run: Run, _ done: CheckedContinuation<Void, any Error>) {
        SBDGroupChannel.createChannel(withUserIds: [], isDistinct: false) { channel, error in
            guard let channel else { return done.resume(throwing: EndActor.NoServer()) }
            self.collection = SBSMMessageCollection(
                channel: channel, filter: nil, viewpointTimestamp: Int64.max)
            self.collection?.fetch(in: .previous) { _ in }
            for number in 0..<run.sends {
                guard let params = SBDUserMessageParams(message: "Message \(number)") else { break }
                channel.sendUserMessage(with: params)
            }
            done.resume()
        }
    }
}

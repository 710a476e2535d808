// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostServer

extension SimulatedWorld {
    /// Creates an open channel on the server, as its operator would by the platform interface.
    package func makeOpenChannel(_ url: ChannelURL, name: String) async {
        var traits = ChannelTraits()
        traits.isOpen = true
        let now = Self.wallTime(executor, serverClockError)
        let record = ChannelRecord(
            url: url, name: name, coverURL: "", data: "", customType: "",
            createdAt: Timestamp(seconds: now.seconds), createdBy: nil, traits: traits)
        _ = await storage.createChannel(NewChannel(record: record, members: []), now: now)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
package import RoostStore

extension StoreReader {
    /// Answers a question of the machine from the cache.
    package func answer(_ question: StoreQuestion) async throws(RoostError) -> StoreAnswer {
        do {
            return switch question {
            case .cursor(let key): .cursor(try await cursor(key).value)
            case .coverage(let channel, let filter):
                .coverage(try await coverage(of: channel, under: filter).value)
            case .channel(let channel): .channel(try await self.channel(channel).value)
            case .message(let id): .message(try await message(id).value)
            case .messageOfRequest(let id): .message(try await message(id).value)
            case .oldestMessage(let channel):
                .moment(try await oldestMessage(in: channel).value)
            case .messageCount(let channel, let from, let through):
                .count(try await messageCount(in: channel, from: from, through: through).value)
            case .holding(let channel):
                .holding(ChannelHolding(try await holding(of: channel).value))
            case .stretches(let channel, let range, let size):
                .stretches(try await stretches(of: channel, in: range, size: size).value)
            case .window(let query): .window(try await window(query))
            case .channels(let filter, let order, let limit):
                .channels(try await cachedChannels(filter, order, limit: limit))
            case .figures: .figures(try await figures())
            }
        } catch {
            throw RoostError(error)
        }
    }

    /// Whether all of the user's channels are on disk.
    var isChannelListWhole: Bool {
        get async throws(StoreError) { try await cursor(.channelFill).value == .listEnd }
    }

    /// Returns the first channels of a list, whether the disk has more, and whether it has all
    /// channels.
    func cachedChannels(
        _ filter: ChannelFilter, _ order: ChannelOrder, limit: Int?
    ) async throws(StoreError) -> CachedChannels {
        let limit = limit ?? .max
        // One channel above the limit shows that there are more.
        let page = try await channels(filter, order: order, limit: limit.addingSaturated(1))
        return CachedChannels(
            channels: Array(page.value.prefix(limit)), hasMore: page.value.count > limit,
            isWhole: try await isChannelListWhole, sequence: page.sequence)
    }
}

extension ChannelHolding {
    fileprivate init(_ counts: (messages: Int, bytes: Int64)) {
        self.init(messages: counts.messages, bytes: counts.bytes)
    }
}

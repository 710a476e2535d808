// SPDX-License-Identifier: Apache-2.0

import CRoostAllocations
import RoostModel
import RoostWire
import Testing

/// The cost of decoding an answer, in allocations, because time depends on the machine.
struct DecodingCostTests {
    private static let people = (0..<20).map { User(id: UserID("user \($0)"), nickname: "name") }

    /// Returns an answer of the server with typical messages.
    private static func answer(_ count: Int) -> APIResponse {
        let messages = (0..<count).map { number in
            var message = Message(
                delivery: .delivered(MessageID(Int64(number + 1)), nil), channelURL: "a channel",
                createdAt: Timestamp(milliseconds: Int64(number)),
                sender: Sender(user: people[number / 3 % people.count]),
                content: .user(text: "what somebody says, number \(number)"))
            if number.isMultiple(of: 10) {
                message.content = .file(
                    FileContent(
                        url: "https://files/\(number)", name: "picture \(number)",
                        type: "image/png",
                        size: ByteCount(bytes: 1_000)))
            }
            if number.isMultiple(of: 20) {
                message.details.reactions = [
                    Reaction(
                        key: "heart", userIDs: ["user 1", "user 2"],
                        updatedAt: Timestamp(milliseconds: 1))
                ]
            }
            return message
        }
        return ListMessages.response(MessagePage(messages: messages, hasNext: false))
    }

    private static func allocations(reading response: APIResponse) throws -> (Int, UInt64) {
        let before = roost_allocation_count()
        let page = try ListMessages.decode(response)
        return (page.messages.count, roost_allocation_count() - before)
    }

    @Test
    func
        `decoding 1,000 messages stays within a budget of allocations, 2,000 within twice that (scar 160)`()
        throws
    {
        let (small, large) = (Self.answer(1_000), Self.answer(2_000))
        // Values that are created once are created here.
        _ = try Self.allocations(reading: small)
        let (count, one) = try Self.allocations(reading: small)
        let (_, two) = try Self.allocations(reading: large)
        #expect(count == 1_000)
        // A count of nothing would stay within every budget.
        if roost_counts_allocations() { #expect(one > 1_000, "\(one) allocations") }
        #expect(one <= 40 * 1_000, "\(one) allocations")
        #expect(two <= one * 2 + 100, "\(two) allocations instead of \(one)")
    }
}

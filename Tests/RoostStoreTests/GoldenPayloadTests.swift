// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

/// Frozen bytes of every stored form.
///
/// Every field has a value that differs from its neighbours'.
///
/// If a form gets a later version, the bytes of the earlier one stay and are read. The test then no
/// longer expects that they are written.
struct GoldenPayloadTests {
    // MARK: - The cache

    private func check(_ message: Message, _ golden: String) throws {
        var bytes: [UInt8] = []
        MessagePayload.write(message, to: &bytes, row: Golden.row)
        #expect(bytes == [UInt8](hex: golden), "\(bytes.hex)")
        let read = try MessagePayload.read(
            [UInt8](hex: golden).span, as: message, user: Golden.user)
        #expect(read == message)
    }

    @Test func `a message's details of version 1 keep their bytes (scar 77)`() throws {
        let golden = """
            01800401024869ffff1f010568656172740203616e6e037a6f6516181a02ca01cc01011c011e \
            01200122010105027561016109696d6167652f706e678c010263610264610102037431300370 \
            31301416181a0374323003703230282a2c2e02027562016209696d6167652f706e678e010263 \
            62026462010203743130037031301416181a0374323003703230282a2c2e0002756301630969 \
            6d6167652f706e67900102636302646300000001ce0101240270640270630102646502707402 \
            6c74026c75026c7301026975026973026974026961282a3c0105776869636803706474037064 \
            78013e0140014201444601037a6f650502484a02480474686973010379616e014c014e5002ca \
            01d0014a0000000000000202646502746402667202746602d001d20106407b6576657d077b22 \
            65223a317d077b2270223a327d035b335d2c012e0770656e64696e6730320462656c6c808080 \
            80808080e83f0673656e64657202036e6964045245414401077b226e223a347d26
            """
        try check(Golden.message, golden)
    }

    @Test func `a message of several files of version 1 keeps its bytes (scar 77)`()
        throws
    {
        var message = Fixture.message(7, from: Golden.people[0])
        message.content = .file(Golden.album)
        let golden = """
            010005027561016109696d6167652f706e678c01026361026461010203743130037031301416 \
            181a0374323003703230282a2c2e02027562016209696d6167652f706e678e01026362026462 \
            010203743130037031301416181a0374323003703230282a2c2e00027563016309696d616765 \
            2f706e679001026363026463000000
            """
        try check(message, golden)
    }

    @Test func `a channel of version 1 keeps its bytes (scar 77)`() throws {
        let golden = """
            01f5aa05044e616d6505636f766572046461746104747970650101c80102ca01011f015e0160 \
            056e6f69736501620164cc01020000525456580110100166010c01ce01096c61737420747970 \
            65010001046c617374015a015c01d00101d2010168016a020302016c6e010203616e6e72037a \
            6f6570010103626f627401760178017a027c7e011212000000000100010370696e0101026d6b \
            026d76010178035b315d00
            """
        var bytes: [UInt8] = []
        ChannelPayload.write(Golden.channel, to: &bytes, row: Golden.row)
        #expect(bytes == [UInt8](hex: golden), "\(bytes.hex)")
        var read = GroupChannel(url: "c", createdAt: Golden.channel.createdAt)
        try ChannelPayload.read([UInt8](hex: golden).span, into: &read, user: Golden.user)
        #expect(read == Golden.channel)
    }

    @Test func `a user of version 1 keeps its bytes (scar 77)`() throws {
        let golden = """
            0103416e6e03706963020161046e756c6c016201320201010180010202646502667201036b65 \
            790105416e6e696501010178077b2279223a317d
            """
        var bytes: [UInt8] = []
        UserPayload.write(Golden.fullUser, to: &bytes)
        #expect(bytes == [UInt8](hex: golden), "\(bytes.hex)")
        #expect(try UserPayload.read([UInt8](hex: golden).span, id: "ann") == Golden.fullUser)
    }

    // MARK: - The outbox

    private func check(_ content: OutboxContent, _ golden: String) throws {
        var bytes: [UInt8] = []
        ParamsPayload.write(content, to: &bytes)
        #expect(bytes == [UInt8](hex: golden), "\(bytes.hex)")
        #expect(try ParamsPayload.read([UInt8](hex: golden).span) == content)
    }

    @Test func `unsent files of version 1 keep their bytes (scar 77)`() throws {
        let golden = """
            01020401042f612f62026e31027431018201028401860188018a01000102022f63026e320274 \
            320000000003030102ff026e3302743300000000040b68747470733a2f2f782f66026e340274 \
            3400000203743730037037308c018e01900192010374383003703830a001a201a401a6010004 \
            0106636f70792031900101200008101820283038404850586068707880889098a0a8b0b8c0c8 \
            d0d8e0e8f0f8000106636f707920339201000005776f72647304646174610474797065010103 \
            626f6201016b0201760177018e010100
            """
        let key = (0..<32).map { UInt8($0 * 8) }
        try check(
            .fileMessage(
                Golden.fileParams,
                copies: [
                    CopiedFile(name: "copy 1", size: 72, key: key), nil,
                    CopiedFile(name: "copy 3", size: 73, key: nil), nil,
                ]), golden)
    }

    @Test func `a draft of version 1 keeps its bytes (scar 77)`() throws {
        try check(.draft(DraftContent("dt", replyingTo: 80, in: 81)), "010402647401a00101a20100")
        try check(.draft(DraftContent("dt")), "0104026474000000")
        try check(
            .draft(
                DraftContent("dt", mentioning: Mention(kind: .channel, userIDs: ["bob"]), in: 81)),
            "0105026474" + "00" + "01a201" + "01" + "0103626f62" + "00")
    }

    @Test func `a mark of version 1 keeps its bytes (scar 77)`() throws {
        let place = Position(createdAt: Timestamp(milliseconds: 80), messageID: 81)
        try check(.inbox(InboxMark("dt", place)), "0106026474a001a20100")
    }

    private static let changes: [(PendingChange.Action, String)] = [
        (
            .edit(
                .delivered(74),
                MessageEdit(
                    text: "new", data: "nd", customType: "nc",
                    mention: Mention(kind: .channel, userIDs: ["bob", "cid"]))),
            "01030100940101036e657701026e6401026e6301010203626f620363696400"
        ),
        (.edit(.unsent("r-1"), MessageEdit(text: "")), "0103010103722d31010000000000"),
        (
            .edit(.unsent("r-1"), MessageEdit(mentionTemplate: "@{b}")),
            "0103060103722d310000000004407b627d00"
        ),
        (.delete(.delivered(75)), "01030200960100"),
        (.addReaction("heart", .unsent("r-2")), "0103030103722d3205686561727400"),
        (.removeReaction("star", .delivered(76)), "010304009801047374617200"),
        (.markAsRead(through: Timestamp(milliseconds: 1_700_000_000_000)), "01030580a0abfef96200"),
        (.channel(.leave), "0103070100"),
        (.channel(.hide(allowsAutoUnhide: true)), "010307020100"),
        (.channel(.unhide), "0103070300"),
        (.channel(.invite(["bob", "cid"])), "010307040203626f620363696400"),
        (
            .channel(.update(Golden.channelUpdate)),
            "010307050102756e0102756301027564010275740102756101010100019e01010203626f620363696400"
        ),
        (.channel(.setPushTrigger(.mentions)), "010307060c6d656e74696f6e5f6f6e6c7900"),
        (
            .channel(.setCountPreference(.messages)),
            "0103070719756e726561645f6d6573736167655f636f756e745f6f6e6c7900"
        ),
        (
            .channel(.mute("bob", for: .seconds(60), reason: "loud")),
            "0103070803626f620178046c6f756400"
        ),
        (.channel(.unmute("bob")), "0103070903626f6200"),
        (.channel(.pin(77)), "0103070a9a0100"),
        (.channel(.unpin(78)), "0103070b9c0100"),
    ]

    @Test(arguments: changes)
    func `a pending change of version 1 keeps its bytes (scar 77)`(
        action: PendingChange.Action, golden: String
    ) throws {
        try check(.change(action), golden)
    }
}

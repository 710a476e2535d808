// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct OutboxContentTests {
    @Test func `edits of an unsent message and of an unsent edit change the template`() {
        let edit = MessageEdit(text: "bye", mentionTemplate: "bye @{b}")
        let sent = OutboxContent.userMessage(UserMessageParams(text: "hi")).applying(edit)
        guard case .userMessage(let params) = sent else {
            Issue.record("\(sent)")
            return
        }
        #expect(params.extraFields.mentionTemplate == "bye @{b}")
        let first = OutboxContent.change(
            .edit(.delivered(1), MessageEdit(text: "hi", mentionTemplate: "hi @{b}")))
        #expect(first.applying(edit) == .change(.edit(.delivered(1), edit)))
        let plain = first.applying(MessageEdit(text: "bye"))
        #expect(
            plain
                == .change(
                    .edit(.delivered(1), MessageEdit(text: "bye", mentionTemplate: "hi @{b}"))))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The words of the demo.
enum ChatDemoTexts {
    struct Line {
        let writer: String
        let text: String
    }

    private static func lines(_ pairs: [(String, String)]) -> [Line] {
        pairs.map { Line(writer: $0.0, text: $0.1) }
    }

    static let pair = lines([
        ("bo", "Did you get the tickets?"),
        ("ada", "Two beds, lower ones."),
        ("bo", "You are a hero."),
        ("bo", "Platform 7, the sign says. 你好，第七站台！"),
    ])

    static let train = lines([
        ("cleo", "Who brings the map?"),
        ("bo", "I do. Paper, no battery needed."),
        ("ada", "There is a tunnel of forty minutes, so do not expect answers."),
        ("cleo", "שלום! I practise Hebrew: הרכבת יוצאת בעשר, the train leaves at ten."),
        ("bo", "At ten? The board says 22:04 🚆"),
        ("cleo", "日本の夜行列車はもうほとんどない。 So let us enjoy this one."),
        ("ada", "Agreed."),
    ])

    /// Long enough that most of it is not on the device at first.
    static let library: [Line] = (1...900).map { number in
        let writer = ["bo", "cleo", "ada"][number * number / 7 % 3]
        let text = shelf[number % shelf.count]
        return Line(writer: writer, text: text.replacing("#", with: "\(number)"))
    }

    private static let shelf = [
        "Page # is about owls.", "I finished chapter #.", "Whose copy is number #?",
        "There is a note in the margin of page #: “ask the conductor”.",
        "Returned # today.", "Number # smells of smoke, lovely.", "Somebody underlined all of #.",
    ]

    /// The lines of the people while the demo runs, said by turns.
    static let talk = [
        "We are moving! Did you feel it?",
        "The café car has soup until eleven.",
        "I see the lake. And the moon in the lake.",
        "Next stop in twelve minutes, they say.",
        "Try Ctrl-O: it cuts your connection. Write something then.",
        "The man in seat 14 is knitting a very long scarf.",
        "Ctrl-F searches everything that is on your device, also offline.",
        "Open Library and press Ctrl-D: watch the bar fill.",
        "I brought cards. Anyone?",
        "It smells of rain and iron now.",
        "Select a message with the arrow keys and press r.",
    ]

    static let answers = [
        "Ha!", "Tell me more.", "I was about to write the same.", "Good point.",
        "Let me look that up… yes.", "Only if there is soup.",
    ]

    static let ticket = """
        NIGHT TRAIN 471
        Carriage 22, beds 61 and 63
        Leaves 22:04, platform 7
        """
}

// SPDX-License-Identifier: Apache-2.0

/// Reads a text's characters, the same ones for any two canonically equal texts.
///
/// Nearly all characters are returned one by one as they come. One that its neighbours may change
/// is read with all of them: its marks are put into one order, since their order has no meaning,
/// and letters are composed.
struct LetterReader {
    /// A character with its place in the text.
    struct Letter {
        fileprivate(set) var scalar: Unicode.Scalar
        fileprivate let form: SearchForm
        fileprivate(set) var range: Range<Int32>
    }

    private let forms = SearchForms.all
    private var scalars: String.UnicodeScalarView.Iterator
    private var ahead: Unicode.Scalar?
    private var formAhead: SearchForm?
    private var end: Int32 = 0
    /// The characters that were read together, and the number of those that were returned.
    private var group: [Letter] = []
    private var returned = 0
    /// The place in the group of the last letter, which is followed by its marks.
    private var last = 0

    init(_ text: String) {
        scalars = text.unicodeScalars.makeIterator()
        ahead = scalars.next()
        formAhead = ahead.map { forms[$0] }
    }

    /// Returns the next character of the text.
    @inline(__always)
    mutating func next() -> Letter? {
        if returned == group.count {
            guard let letter = take() else { return nil }
            if letter.form.isSettled(before: formAhead) { return letter }
            readGroup(letter)
        }
        return nextOfGroup()
    }

    private mutating func nextOfGroup() -> Letter? {
        guard returned < group.count else { return next() }
        returned += 1
        return group[returned - 1]
    }

    @inline(__always)
    private mutating func take() -> Letter? {
        guard let scalar = ahead, let form = formAhead else { return nil }
        let start = end
        end += Int32(UTF8.width(scalar))
        ahead = scalars.next()
        formAhead = ahead.map { forms[$0] }
        return Letter(scalar: form.scalar, form: form, range: start..<end)
    }

    private mutating func readGroup(_ letter: Letter) {
        group.removeAll(keepingCapacity: true)
        (returned, last) = (0, 0)
        append(letter)
        while formAhead?.isBinding == true, let next = take() { append(next) }
        settleLast()
    }

    private mutating func append(_ next: Letter) {
        guard next.form.isSequence else { return appendPart(next) }
        for part in forms.parts(of: next.form) {
            let form = forms[part]
            appendPart(Letter(scalar: form.scalar, form: form, range: next.range))
        }
    }

    private mutating func appendPart(_ next: Letter) {
        if next.form.combiningClass > 0 {
            let isOnBase = group.count > last && group[last].form.isBase
            let mayCompose = next.form.isAccent && isOnBase
            if mayCompose || !next.scalar.searchRole.isDropped { group.append(next) }
        } else if group.count == last + 1,
            let syllable = group[last].scalar.syllable(with: next.scalar)
        {
            group[last].scalar = syllable
            group[last].range = group[last].range.lowerBound..<next.range.upperBound
        } else {
            settleLast()
            last = group.count
            group.append(next)
        }
    }

    /// Orders the marks of the last letter, and composes another letter of it and them.
    private mutating func settleLast() {
        guard group.count > last else { return }
        let letter = group[last].form
        let first = letter.combiningClass == 0 ? last + 1 : last
        order(first..<group.count)
        guard letter.isBase else { return }
        var kept = first
        for index in first..<group.count {
            let mark = group[index]
            if let composed = forms.letter(of: group[last].scalar, with: mark.scalar) {
                group[last].scalar = composed
                group[last].range = group[last].range.lowerBound..<mark.range.upperBound
            } else {
                group[kept] = mark
                kept += 1
            }
        }
        group.removeSubrange(kept...)
    }

    /// Sorts marks by their class; each of them then has the place of all, so that places are in
    /// order.
    private mutating func order(_ marks: Range<Int>) {
        func classOfMark(at index: Int) -> UInt32 { group[index].form.combiningClass }
        guard marks.dropFirst().contains(where: { classOfMark(at: $0) < classOfMark(at: $0 - 1) })
        else { return }
        let lower = group[marks.lowerBound].range.lowerBound
        let upper = group[marks.upperBound - 1].range.upperBound
        // The sort is stable: marks of one class keep their order, which has a meaning.
        group[marks].sort { $0.form.combiningClass < $1.form.combiningClass }
        for index in marks { group[index].range = lower..<upper }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The processor time of one process, as Linux counts it.
struct ProcessTimes: Hashable {
    let parent: Int32
    /// The seconds that its threads have run, with those of the children that it has waited for.
    let seconds: Double

    /// Reads the text of `/proc/ID/stat`; nil if it is another one.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - ticks: The number of the system's ticks in a second.
    init?(stat text: String, ticks: Double) {
        // The name of the program stands in parentheses, and may contain some itself.
        guard let end = text.lastIndex(of: ")"), ticks > 0 else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst()
        // The state is the third field of the text and the first one here.
        func field(_ number: Int) -> Substring? { fields.dropFirst(number - 3).first }
        guard let parent = field(4).flatMap({ Int32($0) }) else { return nil }
        let times = (14...17).compactMap { field($0).flatMap { Double($0) } }
        guard times.count == 4 else { return nil }
        self.parent = parent
        seconds = times.reduce(0, +) / ticks
    }

    init(parent: Int32, seconds: Double) {
        (self.parent, self.seconds) = (parent, seconds)
    }
}

extension [Int32: ProcessTimes] {
    /// Returns the seconds of some processes and of all below them.
    func seconds(of roots: [Int32]) -> Double {
        var children: [Int32: [Int32]] = [:]
        for (id, times) in self { children[times.parent, default: []].append(id) }
        var rest = roots
        var sum = 0.0
        while let id = rest.popLast() {
            sum += self[id]?.seconds ?? 0
            rest += children[id] ?? []
        }
        return sum
    }
}

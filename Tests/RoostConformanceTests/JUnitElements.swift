// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// The elements of a JUnit file; an error for one that is not well formed.
final class JUnitElements: NSObject, XMLParserDelegate {
    private(set) var names: [String] = []
    /// The names of the test cases with a failure.
    private(set) var failures: [String] = []
    private var testCase = ""

    init(of text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadUnknown) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        names.append(name)
        if name == "testcase" { testCase = attributes["name"] ?? "" }
        if name == "failure" { failures.append(testCase) }
    }
}

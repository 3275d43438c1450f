-- |
-- Module      : Main
-- Description : Limits on allocation
--
-- Allocation does not depend on the machine or its load, so it is how the tests check performance.
module Main (main) where

import Builders
import Decoders
import Memory
import Test.Tasty
import Test.Tasty.HUnit
import Unknown
import Values
import Views

main :: IO ()
main =
  defaultMain $
    testGroup
      "allocation"
      [ testCase "decode: 40 bytes for each element" decodeElements,
        testCase "decode: values take less than 128 bytes for each byte of input" decodedSizes,
        testCase "encode: only the result" encodeElements,
        testCase "a storable vector: its bytes, and no sample of its memory" storableVectors,
        testCase "records with an unboxed vector: no sample of its memory for each" unboxedInside,
        testCase "sets and maps: little more than their nodes and numbers" orderedElements,
        testCase "fields in place: nothing" fieldsInPlace,
        testCase "Base64 and hexadecimal: only the result" stringsAsText,
        testCase "a builder in a loop: only a little for each buffer" loopOfWrites,
        testCase "a user's own recursion: nothing for each element" ownRecursion,
        testCase "varints: nothing for each number" varints,
        testCase "a packed tree: a little for each buffer" packedTree,
        testCase "packed numbers after an open bit: some times their bytes" packedAfterBit,
        testCase "functions that return builders: a closure for each unknown call" closures,
        testCase "one number, strict: 290 bytes" oneNumber,
        testCase "a short response, lazy: 700 bytes" shortResponse,
        testCase "long strict output: twice its bytes, and 96 KiB" longOutput,
        testCase "stimes and mconcat are loops" loopsOfBuilders,
        testCase "puts: what the builders allocate, and a few words" putsAsBuilders,
        testCase "puts in a row need no stack" putsInARow,
        testCase "a sum in Get: nothing for each element" sumOfNumbers,
        testCase "numbers in the monad: nothing" monadic,
        testCase "a list over a class of functors: one thunk for each element, not two" overAClass,
        testCase "a monad that is not known: one closure for each step" unknownMonad,
        testCase "pushed values: 80 bytes for each, and 4 KiB for each chunk" pushedValues,
        testCase "lazy output that is dropped halfway leaves nothing" droppedHalfWay,
        testCase "lazy output: one suspension for each inserted ByteString" insertedRun,
        testCase "lazy output: chunks of a lazy ByteString without suspensions" passedOn,
        testCase "a strict run: 216 bytes" strictRuns,
        testCase "a strict run of one step: its result" oneStep,
        testCase "a text: its units and six words" textsRead,
        testCase "lookAhead: nothing" lookAheads,
        testCase "an alternative that may fail: the box of its result" alternatives,
        testCase "s-expressions by alternatives: nothing" expressions,
        testCase
          "a choice that the next byte decides: nothing, or six words in a traced run"
          decidedByByte,
        testCase "a floating-point number from text: only the number" numbersFromText,
        testCase "what ends with strict input: as before another byte" atTheEnd,
        testCase "a literal: nothing" literals,
        testCase "an error that is not forced: no second run" errorsUnseen,
        testCase
          "memory in use stays constant: lazy output, Handle output, lazy input"
          constantMemory
      ]

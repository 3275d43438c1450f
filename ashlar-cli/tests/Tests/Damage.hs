{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Damage
-- Description : Files that are damaged, and files of untrusted origin
module Tests.Damage (tests) where

import Ashlar.Builder (byteString)
import Ashlar.Codec (Codec, HasFormat (format), encode)
import Ashlar.Codec.Combinators (byHand)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Blocks
import Ashlar.File.Described
import Ashlar.Schema hiding (Bytes, Schema)
import qualified Ashlar.Schema as Schema
import qualified Data.ByteString as B
import Data.Char (isPrint)
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Fingerprint (Fingerprint (..))
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Posix.Files (createLink)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Run
import Tests.Types (Order, orders)

tests :: TestTree
tests =
  testGroup
    "damage"
    [ testCase "a flipped bit" flipped,
      testCase "a tail that is cut off" cut,
      testCase "a record that cannot be decoded" badRecord,
      testCase "a damaged header" badHeader,
      localOption (QuickCheckTests 60) $
        testProperty "any byte: what is repaired is whole, and has no other records" anyByte,
      localOption (QuickCheckTests 60) $
        testProperty "any bytes of schemas and values: no command fails in another way" anySchema,
      testCase "names cannot control a terminal" hostileNames,
      testCase "cat writes no file if a value is damaged" noPart,
      testCase "a schema with any number of paths" manyPaths,
      testCase "newtypes that contain themselves have no parts" selfMade,
      testCase "line ends in names do not make lines" forged,
      testCase "the input by another name is not overwritten" linked,
      testCase "the message says why a file cannot be made" notMade
    ]

-- Blocks of 10 numbers.
numbers :: FilePath -> [Int64] -> IO ()
numbers path xs =
  withWriter
    defaultWriteOptions {writeBlockSize = 80, writeMarker = Just 0x1122334455667788}
    described
    path
    (`writeMany` xs)

offsets :: FilePath -> IO [Int64]
offsets path = do
  let add bs e = pure (bs ++ [blockAt b | WholeBlock b <- [e]])
  r <- foldBlocks defaultReadOptions path add []
  either (fail . show) pure r

flipped :: Assertion
flipped = inFolder $ \folder -> do
  let path = folder </> "numbers"
      run = ashlar folder
  numbers path [0 .. 39]
  at <- offsets path
  at @?= [63, 215, 367, 519]
  flipAt path (215 + 72)
  let problem = "numbers: at byte 215 (block 1), from record 10 on: wrong checksum"
      passed = problem ++ "; 10 records lost, going on at byte 367"
  run ["verify", path]
    `gives` (1, [passed, "numbers: damaged, 30 records in 3 blocks readable"], [])
  run ["show", path] `gives` (1, map show [0 .. 9 :: Int], ["ashlar: " ++ problem])
  run ["show", path, "-k"]
    `gives` (1, map show ([0 .. 9] ++ [20 .. 39 :: Int]), ["ashlar: " ++ passed])
  run ["show", path, "--from", "20", "--count", "1"] `gives` (0, ["20"], [])
  run ["repair", path, "-o", folder </> "repaired"]
    `gives` (1, [passed, "numbers: 30 records kept"], [])
  run ["show", folder </> "repaired"] `gives` (0, map show ([0 .. 9] ++ [20 .. 39 :: Int]), [])
  run ["verify", folder </> "repaired"]
    `gives` (0, ["repaired: ok, 30 records in 4 blocks"], [])
  run ["repair", folder </> "repaired", "-o", folder </> "again"]
    `gives` (0, ["repaired: 30 records kept, none lost"], [])
  run ["cat", path, "-o", folder </> "copy"] `gives` (1, [], ["ashlar: " ++ problem])

cut :: Assertion
cut = inFolder $ \folder -> do
  let path = folder </> "numbers"
  numbers path [0 .. 39]
  bytes <- B.readFile path
  B.writeFile path (B.take 600 bytes)
  ashlar folder ["verify", path]
    `gives` ( 1,
              [ "numbers: at byte 519 (block 3), from record 30 on: the file ends in this \
                \block: 152 bytes needed, 81 left; nothing follows",
                "numbers: damaged, 30 records in 3 blocks readable"
              ],
              []
            )

-- The checksums are right, and a record is not.
badRecord :: Assertion
badRecord = inFolder $ \folder -> do
  let path = folder </> "flags"
      problem =
        "flags: at byte 64 (block 0), from record 1 on: at byte 19, in [1]: "
          ++ "a Bool is 0 or 1, not 2"
      list flags = B.pack (fromIntegral (length flags) : replicate 7 0 ++ flags)
  rawRecords (schema @[Bool]) path (map list [[1, 0], [1, 2, 1], [0]])
  ashlar folder ["show", path] `gives` (1, ["[True, False]"], ["ashlar: " ++ problem])
  ashlar folder ["verify", path]
    `gives` (1, [problem, "flags: damaged, 1 record in 2 blocks readable"], [])
  ashlar folder ["repair", path, "-o", folder </> "repaired"]
    `gives` (1, [problem ++ "; 2 records lost", "flags: 1 record kept"], [])
  ashlar folder ["show", folder </> "repaired"] `gives` (0, ["[True, False]"], [])
  -- Bytes after the last record.
  rawRecords (schema @[Bool]) path [list [1], B.concat [list [0], "\0"]]
  ashlar folder ["verify", path]
    `gives` ( 1,
              [ "flags: at byte 64 (block 0), from record 2 on: wrong number of records in \
                \the block",
                "flags: damaged, 2 records in 2 blocks readable"
              ],
              []
            )

badHeader :: Assertion
badHeader = inFolder $ \folder -> do
  let path = folder </> "numbers"
  numbers path [0 .. 9]
  flipAt path 45
  ashlar folder ["verify", path]
    `gives` (1, ["numbers: at byte 0, from record 0 on: the header of the file is damaged"], [])
  B.writeFile (folder </> "schema") (encode (schema @Int64))
  ashlar folder ["repair", path, "-o", folder </> "repaired"]
    `gives` ( 1,
              [],
              [ "ashlar: numbers: at byte 0, from record 0 on: the header of the file is damaged; \
                \say --schema SCHEMA to go on without the header"
              ]
            )
  ashlar
    folder
    ["repair", path, "--schema", folder </> "schema", "-o", folder </> "repaired"]
    `gives` ( 1,
              [ "numbers: at byte 0, from record 0 on: the header of the file is damaged; \
                \no records lost, going on at byte 63",
                "numbers: 10 records kept"
              ],
              []
            )
  ashlar folder ["show", folder </> "repaired"] `gives` (0, map show [0 .. 9 :: Int], [])
  flipAt path 0
  ashlar folder ["verify", path]
    `gives` ( 2,
              [],
              [ "ashlar: numbers: not a file of records; say --schema FILE if it has values \
                \one after another"
              ]
            )
  ashlar
    folder
    ["repair", path, "--schema", folder </> "schema", "-o", folder </> "again"]
    `gives` ( 1,
              [ "numbers: at byte 0, from record 0 on: not a file of records; \
                \no records passed over, going on at byte 63",
                "numbers: 10 records kept"
              ],
              []
            )
  ashlar folder ["show", folder </> "again"] `gives` (0, map show [0 .. 9 :: Int], [])

anyByte :: [Int64] -> NonNegative Int -> Property
anyByte xs (NonNegative i) = ioProperty . inFolder $ \folder -> do
  let path = folder </> "numbers"
      repaired = folder </> "repaired"
  numbers path (xs ++ [1 .. 20])
  size <- B.length <$> B.readFile path
  flipAt path (i `mod` size)
  outcome <- ashlar folder ["repair", path, "-o", repaired]
  Outcome code out _ <- ashlar folder ["show", repaired]
  Outcome checked _ _ <- ashlar folder ["verify", repaired]
  let all' = map show (xs ++ [1 .. 20])
      inHeader = i `mod` size < 63
  pure . counterexample (show outcome) $
    if inHeader
      then outcomeCode outcome =/= ExitSuccess
      else
        code === ExitSuccess
          .&&. checked === ExitSuccess
          .&&. property (lines out `List.isSubsequenceOf` all')
          .&&. property (length (lines out) >= length all' - 10)
          .&&. outcomeCode outcome === ExitFailure 1

noPart :: Assertion
noPart = inFolder $ \folder -> do
  let file name = folder </> name
      bytes = B.concat (map encode orders)
      cat inputs =
        ashlar folder (["cat", "--schema", file "schema", "-f", "-o", file "out"] ++ inputs)
  B.writeFile (file "schema") (encode (schema @Order))
  B.writeFile (file "whole") bytes
  B.writeFile (file "part") (B.take (B.length bytes - 1) bytes)
  B.writeFile (file "out") "old"
  refused <- cat [file "whole", file "part"]
  outcomeCode refused @?= ExitFailure 1
  outcomeErr refused
    @?= "ashlar: part: value 2, which begins at byte 106, cannot be decoded: at byte 146, in \
        \Order.note: 1 byte needed, 0 left\n\
        \ashlar: out: not written\n"
  left <- B.readFile (file "out")
  left @?= "old"
  copied <- cat [file "whole", file "whole"]
  outcomeCode copied @?= ExitSuccess
  let add before x = pure (B.append before (encode (x :: Order)))
  found <- foldRecords described (file "out") add ""
  found @?= Right (B.append bytes bytes)

-- Any bytes as a record.
newtype Bytes = Bytes B.ByteString

instance Codec Bytes

instance HasFormat Bytes where
  format = byHand 0 (\(Bytes b) -> B.length b) (\(Bytes b) -> byteString b) (fail "not read")

-- Without checksums, so that the bytes get to the decoders.
anySchema :: [(NonNegative Int, Word8)] -> [(NonNegative Int, Word8)] -> Property
anySchema inSchema inValues = ioProperty . inFolder $ \folder -> do
  let values = folder </> "values"
      ty = folder </> "schema"
  B.writeFile ty (changed inSchema (encode (schema @Order)))
  B.writeFile values (changed inValues (B.concat (map encode orders)))
  outcomes <-
    mapM
      (ashlar folder)
      [ ["schema", ty],
        ["schema", "--json", ty],
        ["show", values, "--schema", ty],
        ["show", "--json", values, "--schema", ty],
        ["verify", values, "--schema", ty],
        ["stat", values, "--schema", ty],
        ["query", values, ".items[].price", "--schema", ty],
        ["cat", values, "--schema", ty, "-o", folder </> "out"]
      ]
  pure $
    conjoin
      [ counterexample (show o) $
          outcomeCode o `elem` [ExitSuccess, ExitFailure 1, ExitFailure 2]
            && all (\c -> c == '\n' || isPrint c) (outcomeOut o ++ outcomeErr o)
        | o <- outcomes
      ]
  where
    changed edits bytes = List.foldl' one bytes edits
    one bytes (NonNegative i, w) =
      let (before, rest) = B.splitAt (i * 7 `mod` B.length bytes) bytes
       in B.concat [before, B.singleton w, B.drop 1 rest]

rawRecords :: Schema.Schema -> FilePath -> [B.ByteString] -> IO ()
rawRecords s path xs =
  writeRecords
    (fixedType "") {typeSchema = encode s, typeFingerprint = Fingerprint 1 2}
    path
    (map Bytes xs)

hostileNames :: Assertion
hostileNames = inFolder $ \folder -> do
  let path = folder </> "hostile"
      nasty = "a\ESC]0;title\BEL\n\155\8238"
      field n = Field n (Leaf (Number I64))
      constructor = Constructor (T.append "C" nasty) False [field nasty, field "b"]
      definition = Definition nasty Record Unordered [constructor]
  rawRecords (Schema.Schema (Reference 0) (V.singleton definition)) path [B.replicate 16 0]
  outcomes <-
    mapM
      (ashlar folder)
      [ ["show", path],
        ["show", "--json", path],
        ["schema", path],
        ["schema", "--json", path],
        ["stat", path],
        ["verify", path],
        ["query", path, ".x"],
        ["diff", path, path]
      ]
  let printable = all (\c -> c == '\n' || isPrint c)
  mapM_ (\(Outcome _ out err) -> assertBool (out ++ err) (printable out && printable err)) outcomes
  map (length . lines . outcomeOut) (take 2 outcomes) @?= [1, 1]

-- 60 types, each of which has the next one twice: 2^60 paths.
manyPaths :: Assertion
manyPaths = inFolder $ \folder -> do
  let path = folder </> "hostile"
      n = 60
      next i = if i == n then Leaf Unit else Reference i
      one i =
        Definition
          "T"
          Sum
          Unordered
          [ Constructor "A" False [Field "x" (next (i + 1)), Field "y" (next (i + 1))],
            Constructor "B" False []
          ]
      tree depth = if depth == 0 then [1] else 0 : tree (depth - 1) ++ tree (depth - 1 :: Int)
      bytes = B.pack (tree 11)
  rawRecords (Schema.Schema (Reference 0) (V.generate n one)) path [bytes]
  found <- printed (ashlar folder ["query", path, concat (replicate 11 ".x")])
  found @?= ["B"]
  deeper <- printed (ashlar folder ["query", path, concat (replicate 40 ".x")])
  deeper @?= []
  rows <- printed (ashlar folder ["stat", path])
  let shares = takeWhile (/= "") (drop 6 rows)
  length shares @?= 2001
  map words (take 1 shares) @?= [[show (B.length bytes), "100.0", "%", "1", "."]]

selfMade :: Assertion
selfMade = inFolder $ \folder -> do
  let path = folder </> "hostile"
      one form shape = Definition "N" form Unordered [Constructor "N" False [Field "x" shape]]
      schemaOf' root ds = Schema.Schema root (V.fromList ds)
      refused' s = do
        rawRecords s path [B.replicate 8 0]
        ashlar folder ["query", path, ".y"]
          `gives` (2, [], ["ashlar: hostile: there is no .y"])
  refused' (schemaOf' (Reference 0) [one Newtype (Reference 0)])
  refused' (schemaOf' (Reference 0) [one Newtype (Reference 1), one Newtype (Reference 0)])
  refused' (schemaOf' (Reference 0) [one Newtype (Optional (Reference 0))])
  rawRecords (schemaOf' (Reference 0) [one Newtype (Optional (Reference 0))]) path ["\1\1\0"]
  printed (ashlar folder ["query", path, "."]) >>= (@?= ["Just (Just Nothing)"])

forged :: Assertion
forged = inFolder $ \folder -> do
  let path = folder </> "hostile"
      field = Field "a\nb: ok" (Leaf Boolean)
      definition = Definition "R" Record Unordered [Constructor "R" False [field]]
  rawRecords (Schema.Schema (Reference 0) (V.singleton definition)) path ["\1"]
  rows <- printed (ashlar folder ["stat", path])
  length rows @?= 10
  rawRecords (Schema.Schema (Reference 0) (V.singleton definition)) path ["\2"]
  Outcome _ out _ <- ashlar folder ["verify", path]
  length (lines out) @?= 2
  let odd' = folder </> "x\ny"
  numbers odd' [1]
  Outcome _ out' _ <- ashlar folder ["verify", odd']
  length (lines out') @?= 1

linked :: Assertion
linked = inFolder $ \folder -> do
  let path = folder </> "numbers"
      other = folder </> "other"
  numbers path [1 .. 100]
  before <- B.readFile path
  createLink path other
  ashlar folder ["cat", "--force", "-o", other, path]
    `gives` (2, [], ["ashlar: other: is an input, too"])
  B.readFile path >>= (@?= before)

notMade :: Assertion
notMade = inFolder $ \folder -> do
  let path = folder </> "numbers"
  numbers path [1]
  Outcome code _ err <- ashlar folder ["cat", "-o", folder </> "missing" </> "x", path]
  code @?= ExitFailure 2
  assertBool err (not ("remove" `List.isInfixOf` err) && "missing/x" `List.isInfixOf` err)

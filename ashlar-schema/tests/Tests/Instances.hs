{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Instances
-- Description : The schema of every instance describes its bytes
module Tests.Instances (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (DecodeError (..), Reason (..), decode, encode)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as B
import Data.Either (isRight)
import Data.List (isPrefixOf)
import Data.Proxy (Proxy (..))
import Data.Word (Word8)
import Numeric (readHex)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import qualified Tests.Derived as Derived
import Tests.Generate
import Tests.Known

tests :: TestTree
tests =
  testGroup
    "instances"
    [ testCase "every type that the documentation has is described" (rows >>= mapM_ hasInstance),
      testCase "the bytes in the documentation" (rows >>= mapM_ documentedBytes),
      testGroup "random values" (map generated (documented ++ others ++ onThisMachine)),
      testGroup "bytes that are almost right" (map mutated (documented ++ others ++ onThisMachine)),
      testGroup "nested deeply" nestedDeeply,
      testGroup "a schema decodes to itself" (map decodes (documented ++ others ++ onThisMachine))
    ]

-- The name of a type and some bytes of it.
data Row = Row String B.ByteString

rows :: IO [Row]
rows = do
  h <- openFile "tests/format.md" ReadMode
  hSetEncoding h utf8
  text <- takeWhile (/= "## Other packages") . lines <$> hGetContents h
  let (before, derived) = break (== "## Derived instances") text
      (derived', rest) = break (== "## Wrappers") derived
      found = rowsIn "" before ++ rowsIn "derived " derived' ++ rowsIn "" rest
  length found `seq` hClose h
  pure found
  where
    rowsIn prefix text = [row prefix (drop 3 line) | line <- text, "| `" `isPrefixOf` line]
    row prefix line = Row (prefix ++ takeWhile (/= '`') line) (bytesOf (final (fields line)))
    final xs = case reverse xs of
      x : _ -> x
      [] -> ""
    -- The last field is in the last pair of backquotes, or is "no bytes".
    fields line = [takeWhile (/= '`') (dropWhile (== '`') x) | x <- splitOn " | " line]
    bytesOf s = if s == "no bytes |" then B.empty else B.pack [w | d <- words s, (w, "") <- hex d]
    hex = readHex :: ReadS Word8

splitOn :: String -> String -> [String]
splitOn mark s = case s of
  [] -> [[]]
  c : rest
    | mark `isPrefixOf` s -> [] : splitOn mark (drop (length mark) s)
    | otherwise -> case splitOn mark rest of
      x : xs -> (c : x) : xs
      [] -> [[c]]

known :: String -> [Known]
known name = [k | k@(Known n _) <- documented, n == name]

hasInstance :: Row -> Assertion
hasInstance (Row name _) = length (known name) @?= 1

documentedBytes :: Row -> Assertion
documentedBytes (Row name bytes) =
  sequence_ [sameAgain name (schemaOf k) bytes @?= Right bytes | k <- known name]

schemaOf :: Known -> Schema
schemaOf (Known _ (Proxy :: Proxy a)) = schema @a

sameAgain :: String -> Schema -> B.ByteString -> Either String B.ByteString
sameAgain name s bytes =
  either
    (\e -> Left (name ++ ": " ++ show e))
    (Right . toStrictByteString . putValue)
    (runGetWhole (getValue s) bytes)

-- What the schema calls a value, the type does, too; and the other way round.
generated :: Known -> TestTree
generated (Known name (Proxy :: Proxy a)) = testProperty name $ case genValue s of
  Nothing -> property (name `elem` ["Void", "Never", "Endless"])
  Just gen -> forAll gen $ \v ->
    let bytes = toStrictByteString (putValue v)
        byType = encode <$> (decode bytes :: Either DecodeError a)
     in counterexample (show bytes) $
          (either tooWide (const False) byType .||. byType === Right bytes)
            .&&. runGetWhole (getValue s) bytes === Right v
  where
    s = schema @a

-- Does the type refuse a number because an Int has 32 bits? Its schema has 64.
tooWide :: DecodeError -> Bool
tooWide e = case errorReason e of
  Invalid why -> finiteBitSize (0 :: Int) == 32 && any (`isPrefixOf` why) reasons
  _ -> False
  where
    reasons = ["number out of bounds: ", "a varint that does not fit its type"]

mutated :: Known -> TestTree
mutated (Known name (Proxy :: Proxy a)) = testProperty name $ case genValue s of
  Nothing -> forAll (B.pack <$> arbitrary) agree
  Just gen -> forAll (gen >>= mutations . toStrictByteString . putValue) agree
  where
    s = schema @a
    agree bytes =
      let byType = decode bytes :: Either DecodeError a
          bySchema = runGetWhole (getValue s) bytes
          exact = isExact s && not (either tooWide (const False) byType)
          same = if exact then isRight byType === isRight bySchema else property True
          kept = not (isRight byType && isComplete s) || isRight bySchema
          unchanged = either (const True) (\v -> toStrictByteString (putValue v) == bytes) bySchema
       in counterexample (either show (const "decoded") byType) $
            counterexample (either show show bySchema) $
              same .&&. kept .&&. unchanged

decodes :: Known -> TestTree
decodes (Known name (Proxy :: Proxy a)) =
  testCase name (decode (encode (schema @a)) @?= Right (schema @a))

-- A decoder by schema allows as many levels as that of the type.
nestedDeeply :: [TestTree]
nestedDeeply =
  [ deep (Proxy :: Proxy Derived.Nest) "newtypes" (B.pack (1 : replicate 7 0)) (B.replicate 8 0),
    deep (Proxy :: Proxy Derived.Shape) "a sum" (B.pack (3 : replicate 8 0)) (B.singleton 0),
    deep (Proxy :: Proxy (Derived.Tree ())) "a tree" (B.singleton 1) (B.singleton 0),
    deep
      (Proxy :: Proxy (Derived.Rose Word8))
      "a record"
      (B.pack (7 : 1 : replicate 7 0))
      (B.pack (7 : replicate 8 0))
  ]

deep :: forall a. Described a => Proxy a -> String -> B.ByteString -> B.ByteString -> TestTree
deep _ name level end = testCase name (mapM_ same [1000, 49000, 51000, 99000])
  where
    same n =
      let bytes = B.append (B.concat (replicate n level)) (B.concat [end, B.replicate (ends n) 0])
          byType = isRight (decode bytes :: Either DecodeError a)
          bySchema = isRight (runGetWhole (getValue (schema @a)) bytes)
       in (n, not byType || bySchema) @?= (n, True)
    -- The other branches of a tree.
    ends n = if B.length level == 1 then n else 0

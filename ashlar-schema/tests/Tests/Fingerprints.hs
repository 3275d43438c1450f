{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Fingerprints
-- Description : Fingerprints stay, and change with the format
--
-- tests/golden/schemas.txt has the fingerprint and the bytes of the schema of each type. With
-- ASHLAR_GOLDEN=write in the environment, it is written instead of compared.
module Tests.Fingerprints (tests, changedPair, usedOften) where

import Ashlar.Builder (byteStringHex, toStrictByteString)
import Ashlar.Codec (Codec, encode, encodedSize)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), pruned)
import Ashlar.Schema.Internal.EssenceSize (essenceSize)
import Ashlar.Schema.Internal.Types (mapShapes, overShapes)
import qualified Data.ByteString.Char8 as C
import Data.Int (Int32, Int64)
import qualified Data.IntMap as IM
import qualified Data.Map as M
import Data.Maybe (catMaybes)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word8)
import Foreign.Ptr (castPtr)
import GHC.Fingerprint (Fingerprint, fingerprintData)
import GHC.Generics (Generic)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (NonEmpty)
import qualified Tests.Derived as Derived
import Tests.Generate
import Tests.Known

tests :: TestTree
tests =
  testGroup
    "fingerprints"
    [ testCase "stay what they are" golden,
      testCase "format.md has these bytes" documentation,
      testGroup "types" typed,
      testProperty "names of types and newtypes do not count" (forAll neutralPair same),
      testProperty "every other change counts" (forAll changedPair differ),
      testProperty "the essence is its own essence" $
        forAll genSchema (\s -> essence (essence s) === essence s),
      testProperty "the essence is a schema" $
        forAll genSchema (\s -> checkSchema (essence s) === Right (essence s)),
      testProperty "the size of the essence is known before it is made" $
        forAll genSchema $ \s ->
          essenceSize (schemaRoot s) (schemaDefinitions s) === encodedSize (essence s),
      testProperty "are the MD5 of the essence" $
        forAll genSchema (\s -> schemaFingerprint s === md5 (encode (essence s))),
      testCase "are the MD5 of an essence in many pieces" $ do
        let s = usedOften 100 (Opaque (T.replicate 100000 (T.pack "a")) 1 (Just 1))
        schemaFingerprint s @?= md5 (encode (essence s))
    ]
  where
    same (s, s') = schemaFingerprint s === schemaFingerprint s'
    differ (name, s, s') =
      counterexample name $
        checkSchema s' === Right s' .&&. schemaFingerprint s
          =/= schemaFingerprint s'

md5 :: C.ByteString -> Fingerprint
md5 bytes =
  unsafePerformIO $
    C.useAsCStringLen bytes (\(p, n) -> fingerprintData (castPtr p) n)

-- | A record with so many fields of a newtype of a shape.
usedOften :: Int -> Shape -> Schema
usedOften n shape =
  Schema
    (Reference 0)
    ( V.fromList
        [ Definition "A" Record ByParts [Constructor "A" False (map use [1 .. n])],
          Definition "B" Newtype ByParts [Constructor "B" False [Field "b" shape]]
        ]
    )
  where
    use i = Field (T.pack (show i)) (Reference 1)

golden :: Assertion
golden = do
  how <- lookupEnv "ASHLAR_GOLDEN"
  if how == Just "write"
    then C.writeFile file (C.unlines found)
    else do
      kept <- C.lines <$> C.readFile file
      -- One difference is enough to see.
      take 1 (filter (uncurry (/=)) (zip found kept)) @?= []
      length found @?= length kept
  where
    file = "tests/golden/schemas.txt"
    found = concat [line name (schema @a) | Known name (Proxy :: Proxy a) <- documented ++ others]
    line name s =
      [ C.pack name,
        C.pack ("  " ++ show (schemaFingerprint s)),
        C.append "  " (toStrictByteString (byteStringHex (encode s)))
      ]

-- The rows of the table in the documentation.
documentation :: Assertion
documentation = do
  text <- C.lines <$> C.readFile "format.md"
  let written = [line | line <- dropWhile (/= "## Examples") text, "| `" `C.isPrefixOf` line]
      rows = takeWhile (\line -> C.count '|' line == 4) written
      found = concat [row name (schema @a) | Known name (Proxy :: Proxy a) <- documented]
  length rows > 5 @? "rows are missing"
  filter (`notElem` found) rows @?= []
  where
    row name s =
      [ C.concat
          ["| `", C.pack name, "` | `", C.pack (show (schemaFingerprint s)), "` | `", hex s, "` |"]
      ]
    hex s = C.unwords (pairs (toStrictByteString (byteStringHex (encode s))))
    pairs digits
      | C.null digits = []
      | otherwise = C.take 2 digits : pairs (C.drop 2 digits)

-- Types that differ in their names only.
newtype Email = Email Text
  deriving stock (Eq, Ord, Generic)
  deriving anyclass (Codec, Described)

data Customer = Customer {email :: Email, logins :: Int64}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- By hand, with the names of 'Customer'.
newtype ByHand = ByHand (Text, Int)
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described ByHand where
  describe = recordOf "Another" [part @Text "email", part @Int "logins"]

data Both' a = Both' a a
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Mixed = Mixed (Both' Word8) (Both' Word16) (Both' Word8)
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

typed :: [TestTree]
typed =
  [ equal "a newtype" (fingerprint @Email) (fingerprint @Text),
    equal "inside of a record" (fingerprint @Customer) (fingerprint @(Renamed Text)),
    equal "a map's key" (fingerprint @(M.Map Email Int)) (fingerprint @(M.Map Text Int64)),
    equal
      "a phantom type"
      (fingerprint @(Derived.Phantom Int))
      (fingerprint @(Derived.Phantom Bool)),
    equal "a phantom type is its field" (fingerprint @(Derived.Phantom Int)) (fingerprint @Word16),
    different "width" (fingerprint @Int32) (fingerprint @Int64),
    different "sign" (fingerprint @Word8) (fingerprint @Bool),
    different "a Maybe" (fingerprint @Text) (fingerprint @(Maybe Text)),
    different "list and set" (fingerprint @[Text]) (fingerprint @(M.Map Text ())),
    different "a parameter" (fingerprint @(Derived.Tree Int)) (fingerprint @(Derived.Tree Word8)),
    different
      "polymorphic recursion at another type"
      (fingerprint @(Derived.Perfect Int))
      (fingerprint @(Derived.Perfect Word8)),
    different
      "polymorphic recursion that grows in another way"
      (fingerprint @(Derived.Perfect Int))
      (fingerprint @(Otherwise Int)),
    testCase "an instance of a type is described once" $
      map definitionName (V.toList (schemaDefinitions (schema @Mixed)))
        @?= ["Mixed", "Both'", "Both'"],
    testCase "mutual recursion" $
      map definitionName (V.toList (schemaDefinitions (schema @Derived.Binding)))
        @?= ["Binding", "Expression"],
    testCase "polymorphic recursion ends" $
      irregulars (schema @(Derived.Perfect Word8))
        @?= ["Perfect (Pair (Pair (Pair Word8)))"],
    testCase "nesting one type constructor is not polymorphic recursion" $
      irregulars (schema @Derived.Chain) @?= []
  ]
  where
    irregulars s =
      [ name
        | d <- V.toList (schemaDefinitions s),
          c <- definitionConstructors d,
          Field _ (Irregular name) <- constructorFields c
      ]

equal, different :: String -> Fingerprint -> Fingerprint -> TestTree
equal name x y = testCase name (x @?= y)
different name x y = testCase name (assertBool "equal" (x /= y))

newtype Renamed a = Renamed (a, Int)
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described a => Described (Renamed a) where
  describe = recordOf "Customer" [part @a "email", part @Int "logins"]

-- 'Derived.Perfect', but for the type that it is at.
newtype Otherwise a = Otherwise (Derived.Perfect a)
  deriving stock (Generic)

instance Codec a => Codec (Otherwise a)

instance Described a => Described (Otherwise a) where
  describe =
    variantOf "Perfect" [caseOf "Zero" [part @a ""], caseOf "Succ" [part @(Otherwise [a]) ""]]

-- | A schema, and one that has the same fingerprint.
neutralPair :: Gen (Schema, Schema)
neutralPair = do
  s <- genSchema
  f <- elements [renameTypes, reorder, wrapRoot]
  pure (s, f s)
  where
    renameTypes s =
      s {schemaDefinitions = V.map (\d -> d {definitionName = "New"}) (schemaDefinitions s)}
    reorder s =
      s {schemaDefinitions = V.map (\d -> d {definitionOrder = ByParts}) (schemaDefinitions s)}
    -- A newtype around all of it, so that all numbers change.
    wrapRoot s =
      Schema
        (Reference 0)
        ( V.cons
            ( Definition
                "W"
                Newtype
                Unordered
                [Constructor "W" False [Field "w" (shift (schemaRoot s))]]
            )
            (V.map (overShapes shift) (schemaDefinitions s))
        )
    shift shape = case shape of
      Reference i -> Reference (i + 1)
      _ -> inside shift shape

-- All but those of a fraction, which must stay whole numbers.
inside :: (Shape -> Shape) -> Shape -> Shape
inside f shape = case shape of
  Ratio _ -> shape
  _ -> mapShapes f shape

-- | A schema, and one with another fingerprint; and what has changed.
changedPair :: Gen (String, Schema, Schema)
changedPair = do
  s <- genSchema
  let found = changes s
  case found of
    [] -> changedPair
    _ -> elements [(name, s, inOrder s') | (name, s') <- found]
  where
    -- With the numbers of the first visit.
    inOrder (Schema root ds) =
      descriptionSchema (pruned root (IM.fromList (zip [0 ..] [(d, []) | d <- V.toList ds])))

changes :: Schema -> [(String, Schema)]
changes s =
  [(name, s {schemaRoot = shape}) | (name, shape) <- shapeChanges (schemaRoot s)]
    ++ [ (name, s {schemaDefinitions = schemaDefinitions s V.// [(i, d')]})
         | (i, d) <- V.toList (V.indexed (schemaDefinitions s)),
           definitionForm d /= Newtype,
           (name, d') <- definitionChanges d
       ]

shapeChanges :: Shape -> [(String, Shape)]
shapeChanges shape = case shape of
  Leaf (Number I32) -> [("widened", Leaf (Number I64))]
  Leaf l -> [("a leaf of another kind", Leaf (if l == Boolean then Unit else Boolean)), optional]
  Between low high l -> [("bounds", Between (low - 1) high l)]
  List n s -> [("length", List (other n) s), ("not empty", NonEmpty n s), ("sorted", Set n s)]
  NonEmpty n s -> [("may be empty", List n s)]
  Set n s -> [("not sorted", List n s)]
  Optional s -> [("no Maybe", s)]
  Constant bs -> [("another constant", Constant (C.cons 'a' bs))]
  Tuple ss -> [("one more", Tuple (ss ++ [Leaf Unit]))]
  _ -> [optional]
  where
    optional = ("Maybe", Optional shape)
    other n = if n == Length64 then LengthVarint else Length64

definitionChanges :: Definition -> [(String, Definition)]
definitionChanges d =
  [ (name, d {definitionConstructors = before ++ c' : rest})
    | (before, c : rest) <- splits (definitionConstructors d),
      (name, c') <- constructorChanges c
  ]
    ++ ( case definitionForm d of
           Sum ->
             ("a constructor more", d {definitionConstructors = more (definitionConstructors d)}) :
               [ ("the first one last", d {definitionConstructors = cs ++ [c]})
                 | c : cs@(_ : _) <- [definitionConstructors d]
               ]
           Record -> [("a tag", d {definitionForm = Sum})]
           Newtype -> []
       )
  where
    more cs = cs ++ [Constructor "One more" False []]

constructorChanges :: Constructor -> [(String, Constructor)]
constructorChanges c =
  catMaybes
    [ Just ("constructor renamed", c {constructorName = T.snoc (constructorName c) '!'}),
      if constructorRetired c
        then Nothing
        else
          Just
            ( "field added",
              c
                { constructorFields = constructorFields c ++ [Field "one more" (Leaf Unit)]
                }
            ),
      case constructorFields c of
        f : g : rest -> Just ("fields reordered", c {constructorFields = g : f : rest})
        _ -> Nothing
    ]
    ++ [ (name, c {constructorFields = before ++ f' : rest})
         | (before, f : rest) <- splits (constructorFields c),
           (name, f') <-
             ("field renamed", f {fieldName = T.snoc (fieldName f) '!'}) :
               [(n, f {fieldShape = x}) | (n, x) <- shapeChanges (fieldShape f)]
       ]

splits :: [a] -> [([a], [a])]
splits xs = [splitAt i xs | i <- [0 .. length xs - 1]]

{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Paths
-- Description : Paths are read as they are written, and lead to the same, whatever is passed over
module Tests.Paths (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli.Narrow
import Ashlar.Cli.Path
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Internal.Json.Values (jsonOf, shapesOf)
import Ashlar.Schema.Internal.Types (fieldShapes)
import Data.Either (isLeft)
import qualified Data.Text as T
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Generate

tests :: TestTree
tests =
  testGroup
    "paths"
    [ testProperty "parsePath . showPath" (forAll path (\p -> parsePath (showPath p) === Right p)),
      testCase "examples" $ do
        parsePath ".items[].price" @?= Right [Named "items", Each, Named "price"]
        parsePath "items[0]" @?= Right [Named "items", At 0]
        parsePath "." @?= Right []
        parsePath ".[].a" @?= Right [Each, Named "a"]
        parsePath ".\"na\\\"me\\n\\u00e9\"" @?= Right [Named "na\"me\n\233"]
        parsePath ".\"\\ud83d\\ude00\"" @?= Right [Named "\128512"]
        parsePath ".stock{\"a\\\"b\"}{}{key}"
          @?= Right [Named "stock", ValueOf (TextKey "a\"b"), EachValue, EachKey]
        parsePath "{-1}{42}" @?= Right [ValueOf (WholeKey (-1)), ValueOf (WholeKey 42)]
        parsePath ".n{Red}{A'_1}"
          @?= Right [Named "n", ValueOf (ConstructorKey "Red"), ValueOf (ConstructorKey "A'_1")],
      testCase "invalid paths: refused" . mapM_ (\t -> assertBool (show t) (isLeft (parsePath t))) $
        T.words ".items[ .items[x] .. .items] .a{b} .\"a .a[99999999999] .a{ .a."
          ++ T.words ".a{-} .a{+1} .a{1.5} .a{1_} .a{1x} .a{A-B} .a{\"b\"c}",
      testProperty "what a path leads to is the same if all beside it is passed over" narrowed
    ]
  where
    path = listOf step
    step =
      oneof
        [ Named <$> name,
          pure Each,
          At <$> choose (0, 1000),
          pure EachValue,
          pure EachKey,
          ValueOf <$> mapKey
        ]
    mapKey =
      oneof
        [ TextKey <$> name,
          WholeKey <$> arbitrary,
          ConstructorKey . T.pack <$> ((:) <$> elements "RÄ" <*> listOf (elements "ab'_1\955"))
        ]
    name = T.pack <$> listOf (elements "ab'1.[]{}\"\\ \955")

-- The values that a path leads to, as JSON.
narrowed :: Property
narrowed = forAllBlind schemaAndPath $ \(s, path) -> case genValue s of
  Nothing -> discard
  Just values -> forAllBlind values $ \value ->
    counterexample (unlines [T.unpack (showPath path), show s, show value]) $
      let (narrow, getNarrow) = narrowing path s
          bytes = toStrictByteString (putValue value)
       in cover 50 (narrower s path) "narrower" $
            fmap (found path narrow) (runGetWhole getNarrow bytes)
              === fmap (found path s) (runGetWhole (getPlainValue s) bytes)
  where
    found path s value =
      let shapes = shapesOf (plainSchema s)
       in fmap ($ value) (follow shapes (\x -> toStrictByteString . jsonOf shapes x) path)

-- Is anything left out?
narrower :: Schema -> Path -> Bool
narrower s path = fields (fst (narrowing path s)) < fields s
  where
    fields = sum . fmap (length . fieldShapes) . schemaDefinitions

-- Some constructors have fields without names.
schemaAndPath :: Gen (Schema, Path)
schemaAndPath = do
  s <- genSchema
  definitions <- mapM withPositions (schemaDefinitions s)
  let s' = s {schemaDefinitions = definitions}
  n <- choose (1, 4)
  path <- steps (shapesOf (plainSchema s')) (n :: Int) []
  anyWill <- frequency [(1, pure True), (39, pure False)]
  if anyWill || narrower s' path then pure (s', path) else schemaAndPath
  where
    steps shapes n path
      | n == 0 || null next = pure path
      | otherwise = elements next >>= \step -> steps shapes (n - 1) (path ++ [step])
      where
        next = stepsAt shapes path ++ [At 0 | Each `elem` stepsAt shapes path]
    withPositions d = do
      cs <- mapM (\c -> elements [c, positional c]) (definitionConstructors d)
      pure d {definitionConstructors = cs}
    positional c =
      c
        { constructorFields =
            zipWith
              (\i f -> f {fieldName = T.pack (show (i :: Int))})
              [1 ..]
              (constructorFields c)
        }
